// The client of the page: its key and settings, and its reset.
import type { ClientForm } from '../../lib/index.js';
import { Button, Card, CopyButton, Fold } from './controls.js';
import { Field, Form } from './form.js';
import { usePage } from './page.js';
import { join } from './text.js';

export function ClientCard() {
  const { control, client, state } = usePage();
  const { clientId, apiKey, name, locale, branding, callbackOrigins } = client;
  const { form = {}, ...settings } = client.settings ?? {};
  const formText = JSON.stringify(form, null, 2);
  const facts = [
    ['Callbacks', callbackOrigins && (callbackOrigins.join(', ') || 'none')],
    ['Brand', join([branding?.displayName, branding?.primaryColor, branding?.logoUrl && 'logo', locale])],
    [
      'Settings',
      join(
        Object.entries(settings).map(
          ([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`,
        ),
      ),
    ],
  ] as const;

  return (
    <Card name="client" title={name ?? clientId}>
      <dl class="facts">
        <Copyable title="Client id" text={clientId} about="the client id" />
        <Copyable title="API key" text={apiKey} about="the API key" />
        <Copyable title="Base URL" text={state.publicUrl} about="the base URL" />
        {facts.map(
          ([title, text]) =>
            text && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            ),
        )}
      </dl>
      <Fold title="Form of the client">
        <ClientFormField key={formText} text={formText} />
      </Fold>
      <p>
        <a class="hint" href="__mock/openapi.json">
          Control API as OpenAPI
        </a>
      </p>
      <p class="row">
        <Button
          label="Reset this client"
          done={`${clientId} is reset`}
          question={`Reset ${clientId}? Sessions, links, clock, faults, requests and settings become those of its start.`}
          onPress={() => control.reset({ clientId })}
        />
        {!client.isConfigured && (
          <Button
            label="Remove this client"
            done={`${clientId} is removed`}
            question={`Remove ${clientId} with everything that belongs to it?`}
            onPress={() => control.removeClient(clientId)}
          />
        )}
      </p>
    </Card>
  );
}

/** The form of the client as JSON. Links that are open show a change when they are loaded again. */
function ClientFormField({ text }: { text: string }) {
  const { control, client } = usePage();
  return (
    <Form
      button="Change the form"
      done="The form is changed"
      isKept
      onSend={({ settings: { form = null } = {} }: { settings?: { form?: ClientForm | null } }) =>
        control.updateClient(client.clientId, { settings: { form } })
      }
    >
      <Field
        name="/settings/form"
        label="Form as JSON"
        value={text}
        rows={12}
        hint="What the claim form asks: settings.form of the client. Empty for the default form."
      />
    </Form>
  );
}

function Copyable({ title, text, about }: { title: string; text: string; about: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <code class="value">{text}</code>
        <CopyButton text={text} about={about} />
      </dd>
    </div>
  );
}
