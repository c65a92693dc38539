// The client of the page: its key and settings, and its reset.
import { Button, Card, CopyButton } from './controls.js';
import { usePage } from './page.js';
import { join } from './text.js';

export function ClientCard() {
  const { control, client, state } = usePage();
  const { clientId, apiKey, name, locale, branding, callbackOrigins } = client;
  const { redirectAfterSeconds: redirect } = client.settings ?? {};
  const settings = [
    ['Callbacks', callbackOrigins && (callbackOrigins.join(', ') || 'none')],
    ['Brand', join([branding?.displayName, branding?.primaryColor, branding?.logoUrl && 'logo', locale])],
    ['Redirect', redirect && (redirect === 'never' ? redirect : `after ${redirect} s`)],
  ] as const;

  return (
    <Card name="client" title={name ?? clientId}>
      <dl class="facts">
        <Copyable title="Client id" text={clientId} about="the client id" />
        <Copyable title="API key" text={apiKey} about="the API key" />
        <Copyable title="Base URL" text={state.publicUrl} about="the base URL" />
        {settings.map(
          ([title, text]) =>
            text && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            ),
        )}
      </dl>
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
