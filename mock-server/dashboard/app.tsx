// The page: which client and user it shows, whether it is live, and all cards.
import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MockControl } from '../control/methods.js';
import { ClientCard } from './client.js';
import { ClockCard } from './clock.js';
import { FaultsCard } from './faults.js';
import { messageOf } from './form.js';
import { LinksCard } from './links.js';
import { type Connection, createLive } from './live.js';
import { type Page, PageContext, useLive } from './page.js';
import { RequestsCard } from './requests.js';
import { SessionsCard } from './sessions.js';

/** Cards of the main column. They start anew with each client. */
const MAIN = { requests: RequestsCard, links: LinksCard, sessions: SessionsCard };
/** Cards beside it. */
const SIDE = { client: ClientCard, faults: FaultsCard, clock: ClockCard };

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: 'connecting',
  live: 'live',
  rejected: 'not live',
  gone: 'offline',
};

export function App({ control }: { control: MockControl }) {
  const [connection, setConnection] = useState<Connection>('connecting');
  const live = useMemo(() => createLive(control, setConnection), [control]);
  const [clientId, showClient] = useState(() => new URLSearchParams(location.search).get('client'));
  const [user, setUser] = useState<string>();
  const [announcement, announce] = useState('');
  const [failure, setFailure] = useState<string>();
  const report = (error: unknown) => setFailure(messageOf(error));
  const state = useLive(live, () => control.state(), [control], report);

  const client = state?.clients.find((each) => each.clientId === clientId) ?? state?.clients[0];
  const shownId = client?.clientId;
  useEffect(() => {
    if (shownId === undefined) return;
    document.title = `${shownId} · claimlink mock`;
    // A reload shows the same client.
    history.replaceState(null, '', `?${new URLSearchParams({ client: shownId })}${location.hash}`);
    setUser(undefined);
  }, [shownId]);

  const showUser = (userId: string) => {
    setUser(userId);
    document.getElementById('sessions')?.scrollIntoView();
    document.getElementById('sessions-title')?.focus({ preventScroll: true });
  };
  const page: Page | undefined = state &&
    client && {
      control,
      live,
      state,
      client,
      userId: user ?? client.userIds[0] ?? 'user-1',
      showUser,
      announce,
      report,
    };

  return (
    <>
      <header class="top">
        <div class="wrap row">
          <h1>claimlink mock</h1>
          <span role="status" class={connection === 'live' ? 'tag good' : 'tag bad'}>
            {CONNECTIONS[connection]}
          </span>
          {page !== undefined && <ClientSelect page={page} onSelect={showClient} />}
          <nav class="row" aria-label="Sections">
            {Object.keys({ ...MAIN, ...SIDE }).map((name) => (
              <a key={name} href={`#${name}`}>
                {name}
              </a>
            ))}
          </nav>
        </div>
        {connection === 'gone' && (
          <p class="notice banner" role="alert">
            The mock does not respond. The page shows its last state and reconnects when the mock is back.
          </p>
        )}
        {failure !== undefined && (
          <div class="notice head row" role="alert">
            <p>{failure}</p>
            <button type="button" class="button small" onClick={() => setFailure(undefined)}>
              Close<span class="vh"> this message</span>
            </button>
          </div>
        )}
      </header>
      <main class="wrap">
        {page !== undefined && (
          <PageContext.Provider value={page}>
            <p class="hint">Times are in UTC.</p>
            <div class="columns">
              <div key={shownId}>{cardsOf(MAIN)}</div>
              <div>{cardsOf(SIDE)}</div>
            </div>
          </PageContext.Provider>
        )}
      </main>
      <p class="vh" role="status">
        {announcement}
      </p>
    </>
  );
}

function cardsOf(column: Readonly<Record<string, ComponentType>>) {
  return Object.entries(column).map(([name, Card]) => <Card key={name} />);
}

function ClientSelect(props: { page: Page; onSelect: (clientId: string) => void }) {
  const { state, client } = props.page;
  return (
    <label class="chooser">
      <span>client</span>
      <select value={client.clientId} onChange={(event) => props.onSelect(event.currentTarget.value)}>
        {state.clients.map(({ clientId, name }) => (
          <option key={clientId} value={clientId}>
            {name === undefined ? clientId : `${name} (${clientId})`}
          </option>
        ))}
      </select>
    </label>
  );
}
