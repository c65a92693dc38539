// What a caller needs to use the API as this client, and forms that add and remove clients.
import { quote } from '../cli/curl.js';
import type { NewMockClient } from '../control.js';
import { Button, Card, CopyButton, Fold } from './controls.js';
import { Field, Form } from './form.js';
import { usePage, useRun } from './page.js';

export function ClientCard() {
  const { control, client, state, userId, showClient } = usePage();
  const run = useRun();
  const { clientId, apiKey, name } = client;
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
      </dl>
      <p>
        <a class="hint" href="__mock/openapi.json">
          Control API as OpenAPI
        </a>
      </p>
      {!client.isConfigured && (
        <Button
          label="Remove this client"
          onPress={() => run(`${clientId} is removed`, () => control.removeClient(clientId))}
        />
      )}
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
