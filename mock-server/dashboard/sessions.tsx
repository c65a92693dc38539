// The sessions of one user, with the status of each.
import { useState } from 'preact/hooks';
import type { Session, SessionChanges } from '../../lib/index.js';
import { Block, Button, Card, Fold, More } from './controls.js';
import { Field, Form } from './form.js';
import { useLoaded, usePage } from './page.js';
import { toSecond } from './text.js';

const PAGE_SIZE = 6;

/** The statuses of seeded sessions. Others are allowed as well. */
const TONES = new Map([
  ['submitted', 'created'],
  ['in_review', 'warm'],
  ['accepted', 'good'],
  ['rejected', 'bad'],
]);

export function SessionsCard() {
  const { control, client, userId, showUser } = usePage();
  const { clientId, userIds } = client;
  const [limit, setLimit] = useState(PAGE_SIZE);
  const sessions = useLoaded(() => control.sessions(clientId, userId), [control, clientId, userId]);

  return (
    <Card name="sessions" title="Sessions" count={sessions?.length}>
      <Form class="lookup" button="Show" onSend={({ user = userId }: { user?: string }) => showUser(user)}>
        <Field key={userId} name="/user" label="User id" value={userId} suggestions={userIds} />
      </Form>
      {sessions?.length === 0 && <p class="empty">{userId} has no sessions.</p>}
      <ol class="rows" aria-label={`Sessions of ${userId}`}>
        {sessions?.slice(0, limit).map((session) => (
          <SessionRow key={session.reference} session={session} />
        ))}
      </ol>
      <More limit={limit} total={sessions?.length} onMore={setLimit} />
      <Button
        label="Add a session"
        about={`to ${userId}`}
        done="A session was added"
        onPress={() => control.addSession(clientId, userId, {})}
      />
    </Card>
  );
}

function SessionRow({ session }: { session: Session }) {
  const { control, client } = usePage();
  const { reference, status, createdAt, selectedPolicy } = session;
  return (
    <li>
      <Fold
        title={
          <span class="session">
            <code>{reference}</code>
            <span class={`tag ${TONES.get(status) ?? ''}`}>{status}</span>
            <span>{selectedPolicy.provider}</span>
            <time dateTime={createdAt.toISOString()}>{toSecond(createdAt)}</time>
          </span>
        }
      >
        <Form
          class="lookup"
          button="Change"
          done={`The status of ${reference} is changed`}
          onSend={({ change = {} }: { change?: SessionChanges }) =>
            control.updateSession(client.clientId, reference, change)
          }
        >
          <Field
            key={status}
            name="/change/status"
            label="Status"
            value={status}
            suggestions={[...TONES.keys()]}
          />
        </Form>
        <Block title={`Session ${reference}`} text={JSON.stringify(session, null, 2)} />
      </Fold>
    </li>
  );
}
