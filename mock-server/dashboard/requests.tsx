// The request log: the latest requests first. A row opens to show the problems and the bodies.
import { useState } from 'preact/hooks';
import {
  type AppliedFault,
  type LoggedBody,
  type LoggedRequest,
  type RequestFilter,
  ROUTE_NAMES,
  type RouteName,
} from '../control.js';
import { Block, Button, Card, Fold, More } from './controls.js';
import { useLoaded, usePage, useRun } from './page.js';
import { indentJson, toDuration, toSecond, toTimeOfDay } from './text.js';

const PAGE_SIZE = 12;
const STATUSES = ['2xx', '3xx', '4xx', '5xx'] as const;

export function RequestsCard() {
  const { control, client } = usePage();
  const run = useRun();
  // Requests without a valid key belong to no client, and they are the ones that people look for.
  const [isForOne, setForOne] = useState(false);
  const [userId, setUserId] = useState('');
  const [route, setRoute] = useState('');
  const [status, setStatus] = useState('');
  const [limit, setLimit] = useState(PAGE_SIZE);

  const scope = isForOne ? { clientId: client.clientId } : {};
  const filter: RequestFilter = {
    ...scope,
    ...(userId !== '' && { userId }),
    ...(route !== '' && { route: route as RouteName }),
    ...(status !== '' && { status: status as (typeof STATUSES)[number] }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const [log] = useLoaded(
    async () => {
      const [requests, total] = await Promise.all([
        control.requests({ ...filter, limit }),
        control.countRequests(filter),
      ]);
      return { requests: [...requests].reverse(), total };
    },
    ({ type, ...event }) => type === 'request' || ('part' in event && event.part === 'requests'),
    [control, isForOne && client.clientId, userId, route, status, limit],
  );

  return (
    <Card
      name="requests"
      title="Requests"
      count={log?.total}
      actions={
        <Button
          label="Clear"
          about={isForOne ? `the requests of ${client.clientId}` : 'all requests'}
          onPress={() => run('Requests cleared', () => control.clearRequests(scope))}
        />
      }
    >
      <div class="filters">
        <select
          aria-label="Client of the requests"
          value={isForOne ? 'one' : ''}
          onChange={(event) => setForOne(event.currentTarget.value === 'one')}
        >
          <option value="">every client</option>
          <option value="one">{client.clientId}</option>
        </select>
        <input
          aria-label="User of the requests"
          placeholder="every user"
          value={userId}
          autocomplete="off"
          maxLength={100}
          onInput={(event) => setUserId(event.currentTarget.value.trim())}
        />
        <Select
          label="Route of the requests"
          none="every route"
          value={route}
          values={ROUTE_NAMES}
          onSelect={setRoute}
        />
        <Select
          label="Status of the requests"
          none="every status"
          value={status}
          values={STATUSES}
          onSelect={setStatus}
        />
      </div>
      {log !== undefined && log.requests.length === 0 && (
        <p class="empty">
          {isFiltered ? 'No request matches.' : 'No requests yet. They show here as they arrive.'}
        </p>
      )}
      <ol class="rows" aria-label="Requests, latest first">
        {log?.requests.map((request) => (
          <RequestRow key={request.id} request={request} />
        ))}
      </ol>
      <More
        shown={log?.requests.length ?? 0}
        // The mock lists at most 1000 requests.
        total={limit < 1000 ? (log?.total ?? 0) : 0}
        onMore={() => setLimit(Math.min(limit * 2, 1000))}
      />
    </Card>
  );
}

interface SelectProps {
  label: string;
  none: string;
  value: string;
  values: readonly string[];
  onSelect: (value: string) => void;
}

function Select({ label, none, value, values, onSelect }: SelectProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onSelect(event.currentTarget.value)}>
      <option value="">{none}</option>
      {values.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

function RequestRow({ request }: { request: LoggedRequest }) {
  const { showUser, client, state } = usePage();
  const { time, method, path, status, code, clientId, userId, durationMs, fault } = request;
  return (
    <li>
      <Fold
        title={
          <span class="request">
            <time dateTime={time.toISOString()}>{toTimeOfDay(time)}</time>
            <span class={`tag ${tone(status)}`}>{status ?? 'cut'}</span>
            <span class="call">
              <b>{method}</b> <code>{path}</code>
            </span>
            <span class="more hint">
              {code !== undefined && <code>{code}</code>}
              {fault !== undefined && <span class="tag warm">{describeFault(fault)}</span>}
              {clientId === null ? 'no client' : state.clients.length > 1 && clientId}
            </span>
            <span class="took hint">{toDuration(durationMs)}</span>
          </span>
        }
      >
        <Problems request={request} />
        <p class="hint">
          {toSecond(time)} UTC · {request.route ?? 'no route of the service'}
          {userId !== null && ` · user ${userId}`}
        </p>
        <Body title="Request body" body={request.requestBody} />
        <Body title="Response body" body={request.responseBody} />
        <Block
          title="Request headers"
          text={Object.entries(request.headers)
            .map((header) => header.join(': '))
            .join('\n')}
        />
        {userId !== null && clientId === client.clientId && (
          <Button label="Show the sessions" about={`of ${userId}`} onPress={() => showUser(userId)} />
        )}
      </Fold>
    </li>
  );
}

function Problems({ request: { detail, problems = [] } }: { request: LoggedRequest }) {
  if (detail === undefined) return null;
  return (
    <div class="notice bad">
      <p>{detail}</p>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={`${problem.pointer ?? problem.parameter} ${problem.detail}`}>
              <code>{problem.pointer ?? problem.parameter}</code> {problem.detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Body({ title, body }: { title: string; body: LoggedBody | undefined }) {
  if (body === undefined || body.bytes === 0) return null;
  const { text, bytes, isTruncated } = body;
  const size = isTruncated ? `the start of ${bytes} bytes` : `${bytes} bytes`;
  return <Block title={`${title}, ${size}`} text={indentJson(text)} />;
}

function tone(status: number | null): string {
  if (status === null || status >= 500) return 'bad';
  return status >= 400 ? 'warm' : 'good';
}

function describeFault({ status, effect, delayMs }: AppliedFault): string {
  const parts = [status, effect, delayMs !== undefined && `+${toDuration(delayMs)}`];
  return `fault: ${parts.filter(Boolean).join(', ')}`;
}
