// The request log: the latest requests first. A row opens to show the problems and the bodies.
import { useState } from 'preact/hooks';
import { describeFault, type LoggedBody, type LoggedRequest, type RequestFilter } from '../control/types.js';
import { exampleRequests } from '../example-requests.js';
import { ROUTE_NAMES } from '../schemas/fault.js';
import { Block, Button, Card, Curl, Fold, More } from './controls.js';
import { Field, Form, ProblemNotice } from './form.js';
import { useLoaded, usePage } from './page.js';
import { join, SHORT_ID, toChoices, toCurl, toDuration, toSecond } from './text.js';

const PAGE_SIZE = 12;

const STATUSES = [
  ...toChoices('every status', ['2xx', '3xx', '4xx', '5xx']),
  ['failed', 'failures only'],
] as const;

export function RequestsCard() {
  const { control, client, state, userId } = usePage();
  // A request without a valid key has no client, and people look for it: the log starts with every client.
  const [filter, setFilter] = useState<RequestFilter>({});
  const [limit, setLimit] = useState(PAGE_SIZE);
  const log = useLoaded(
    () => Promise.all([control.requests({ ...filter, limit }), control.countRequests(filter)]),
    [control, filter, limit],
  );
  const [requests, total] = log ?? [];

  return (
    <Card
      name="requests"
      title="Requests"
      count={total}
      actions={
        <Button
          label={filter.clientId === undefined ? 'Clear all requests' : 'Clear requests of this client'}
          done="Requests cleared"
          onPress={() =>
            control.clearRequests(filter.clientId === undefined ? {} : { clientId: filter.clientId })
          }
        />
      }
    >
      <Form class="filters" onSend={setFilter}>
        <Field name="/clientId" label="Client" choices={toChoices('every client', [client.clientId])} />
        <Field name="/userId" label="User" placeholder="every user" />
        <Field name="/route" label="Route" choices={toChoices('every route', ROUTE_NAMES)} />
        <Field name="/status" label="Status" choices={STATUSES} />
      </Form>
      {requests?.length === 0 && <p class="empty">No request matches the filters.</p>}
      {client.requests === 0 &&
        Object.entries(exampleRequests(state.publicUrl, client, userId)).map(([title, request]) => (
          <Curl key={title} title={title} request={request} />
        ))}
      <ol class="rows" aria-label="Requests, latest first">
        {requests?.toReversed().map((request) => (
          <RequestRow key={request.id} request={request} />
        ))}
      </ol>
      <More limit={limit} total={total} onMore={setLimit} />
    </Card>
  );
}

function RequestRow({ request }: { request: LoggedRequest }) {
  const { showUser, client, state } = usePage();
  const { time, method, path, status, clientId, userId, linkId, fault, detail, problems = [] } = request;
  const { apiKey } = state.clients.find((each) => each.clientId === clientId) ?? {};
  const curl = toCurl(request, state.publicUrl, apiKey);
  return (
    <li>
      <Fold
        title={
          <span class="request">
            <time dateTime={time.toISOString()}>{time.toISOString().slice(11, 23)}</time>
            <span class={`tag ${tone(status)}`}>{status ?? 'cut'}</span>
            <span class="call">
              <b>{method}</b>{' '}
              <code>{linkId === undefined ? path : `link ${linkId.slice(0, SHORT_ID)} of ${userId}`}</code>
            </span>
            <span class="more row hint">
              {request.code !== undefined && <code>{request.code}</code>}
              {fault !== undefined && <span class="tag warm">fault: {describeFault(fault)}</span>}
              {clientId === null ? 'no client' : state.clients.length > 1 && clientId}
            </span>
            <span class="took hint">{toDuration(request.durationMs)}</span>
          </span>
        }
      >
        {detail !== undefined && <ProblemNotice message={detail} problems={problems} />}
        <p class="hint">
          {toSecond(time)} · {request.route ?? 'no route of the service'}
          {userId !== null && ` · user ${userId}`}
        </p>
        <Body title="Request body" body={request.requestBody} />
        {request.upload && <p class="hint">Upload: {describeUpload(request.upload)}</p>}
        <Body title="Response body" body={request.responseBody} />
        <Headers title="Request headers" headers={request.headers} />
        <Headers title="Response headers" headers={request.responseHeaders} />
        {curl && <Curl title="Request for curl" request={curl} />}
        {userId !== null && clientId === client.clientId && (
          <Button label="Show the sessions" about={`of ${userId}`} onPress={() => showUser(userId)} />
        )}
      </Fold>
    </li>
  );
}

function Body({ title, body }: { title: string; body: LoggedBody | undefined }) {
  if (body === undefined || body.bytes === 0) return null;
  const { text, bytes, isTruncated, json } = body;
  const size = isTruncated ? `the start of ${bytes} bytes` : `${bytes} bytes`;
  const shown = json === undefined ? text : JSON.stringify(json, null, 2);
  return <Block title={`${title}, ${size}`} text={shown} />;
}

function describeUpload({ type, bytes }: NonNullable<LoggedRequest['upload']>): string {
  return join([type ?? 'no photo', `${bytes} bytes`]);
}

function Headers({ title, headers = {} }: { title: string; headers: LoggedRequest['responseHeaders'] }) {
  const lines = Object.entries(headers).map((header) => header.join(': '));
  return lines.length === 0 ? null : <Block title={title} text={lines.join('\n')} />;
}

function tone(status: number | null): string {
  if (status === null || status >= 500) return 'bad';
  return status >= 400 ? 'warm' : 'good';
}
