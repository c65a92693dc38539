// The client of the page: its key, its brand, and forms that change, add and remove clients.
import { quote } from '../cli/curl.js';
import type { ClientChange, NewMockClient } from '../control.js';
import { Button, Card, CopyButton, Fold } from './controls.js';
import { Field, Form } from './form.js';
import { usePage } from './page.js';
import { join } from './text.js';

const BRAND_FIELDS = [
  ['displayName', 'Name on the pages'],
  ['primaryColor', 'Colour'],
  ['logoUrl', 'Logo URL'],
  ['supportUrl', 'Support URL'],
  ['imprintUrl', 'Imprint URL'],
] as const;

/** A field that is empty removes its setting. */
const NO_NAMES = { name: null, locale: null };
const NO_BRAND = Object.fromEntries(BRAND_FIELDS.map(([name]) => [name, null]));

export function ClientCard() {
  const { control, client, state, userId, showClient } = usePage();
  const { clientId, apiKey, name, locale, branding } = client;
  const { publicUrl } = state;
  const url = `${publicUrl}/${encodeURIComponent(clientId)}/sessions/${encodeURIComponent(userId)}`;
  const line = `curl ${quote(url)} -H ${quote(`x-api-key: ${apiKey}`)}`;
  const facts = [
    ['Client id', clientId, 'the client id'],
    ['API key', apiKey, 'the API key'],
    ['Base URL', publicUrl, 'the base URL'],
    ['Try it', line, 'the curl line'],
  ] as const;

  return (
    <Card name="client" title={name ?? clientId}>
      <dl class="facts">
        {facts.map(([title, text, about]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <code class="url" title={text}>
                {text}
              </code>
              <CopyButton text={text} about={about} />
            </dd>
          </div>
        ))}
        {client.callbackOrigins !== undefined && (
          <div>
            <dt>Callbacks</dt>
            <dd>{client.callbackOrigins.join(', ') || 'none'}</dd>
          </div>
        )}
        <div>
          <dt>Brand</dt>
          <dd>
            {join([branding?.displayName, branding?.primaryColor, branding?.logoUrl && 'logo', locale]) ||
              'none'}
            {branding?.primaryColor !== undefined && (
              <svg width="1.25rem" height="1.25rem" aria-hidden="true">
                <rect width="100%" height="100%" rx="4" fill={branding.primaryColor} />
              </svg>
            )}
          </dd>
        </div>
      </dl>
      <p>
        <a class="hint" href="__mock/openapi.json">
          Control API as OpenAPI
        </a>
      </p>
      {!client.isConfigured && (
        <Button
          label="Remove this client"
          done={`${clientId} is removed`}
          onPress={() => control.removeClient(clientId)}
        />
      )}
      <Fold key={clientId} title="Brand and language">
        <Form
          button="Set the brand"
          done="The brand is set"
          onSend={({ branding: brand, ...typed }: ClientChange) =>
            control.updateClient(clientId, { ...NO_NAMES, ...typed, branding: { ...NO_BRAND, ...brand } })
          }
        >
          <div class="fields">
            <Field name="/name" label="Name" value={name} />
            <Field name="/locale" label="Language" placeholder="de" value={locale} />
            {BRAND_FIELDS.map(([member, label]) => (
              <Field key={member} name={`/branding/${member}`} label={label} value={branding?.[member]} />
            ))}
          </div>
        </Form>
      </Fold>
      <Fold title="Add a client">
        <Form
          button="Add the client"
          done="The client is added"
          onSend={async (added: NewMockClient) => showClient((await control.addClient(added)).clientId)}
        >
          <div class="fields">
            <Field name="/clientId" label="Client id" placeholder="generated" />
            <Field name="/apiKey" label="API key" placeholder="generated" />
            <Field name="/name" label="Name" placeholder="none" />
            <Field
              name="/callbackOrigins"
              kind="words"
              label="Callback origins"
              placeholder="every https origin"
              hint="Separate several with spaces."
            />
          </div>
        </Form>
      </Fold>
    </Card>
  );
}
