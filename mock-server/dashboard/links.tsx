// The links of the client, newest first, with what can be done to each of them.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { MockLink } from '../control/types.js';
import { exampleLink } from '../example-requests.js';
import { Button, Card, CopyButton, Fold, More } from './controls.js';
import { LinkForm } from './link-form.js';
import { useLoaded, usePage } from './page.js';
import { join, SHORT_ID, toSecond, toSize } from './text.js';

const PAGE_SIZE = 6;

/** Of these moments, the last one tells whether the link is locked. */
const LOCKS: readonly string[] = ['link.locked', 'link.unlocked'];

const TONES = { created: 'created', opened: 'warm', submitted: 'good', expired: '', revoked: 'bad' } as const;

/** Longest delay that a browser's timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

export function LinksCard() {
  const { control, client, state, userId } = usePage();
  const { clientId, clock } = client;
  const [limit, setLimit] = useState(PAGE_SIZE);
  const [newId, setNewId] = useState<string>();
  const [expiries, setExpiries] = useState(0);
  const loaded = useLoaded(() => control.links({ clientId, limit }), [control, clientId, limit, expiries]);
  const links = loaded ?? [];

  // A link expires without an event.
  const nextExpiry = Math.min(...links.filter(isUsable).map(({ expiresAt }) => expiresAt.getTime()));
  useEffect(() => {
    const delay = nextExpiry - (Date.now() + clock.offsetMs);
    if (clock.isFrozen || !Number.isFinite(delay)) return undefined;
    const reload = () => setExpiries((count) => count + 1);
    const timer = setTimeout(reload, Math.min(Math.max(delay, 0) + 500, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [loaded, clock.offsetMs, clock.isFrozen]);

  async function makeFirst(): Promise<void> {
    const link = await control.createLink(clientId, exampleLink(state.publicUrl, client, userId));
    setNewId(link.linkId);
  }

  return (
    <Card name="links" title="Links" count={client.links}>
      <Fold title="Make a link">
        <LinkForm onCreated={({ linkId }) => setNewId(linkId)} />
      </Fold>
      {loaded?.length === 0 && (
        <div class="empty">
          <p>No links yet. Links that you make here or with the API show here.</p>
          <Button label="Make the first link" done="The link is ready" onPress={makeFirst} />
        </div>
      )}
      <ul class="rows" aria-label="Links, newest first">
        {links.map((link) => (
          <LinkRow key={link.linkId} link={link} isNew={link.linkId === newId} />
        ))}
      </ul>
      <More limit={limit} total={client.links} onMore={setLimit} />
    </Card>
  );
}

function LinkRow({ link, isNew }: { link: MockLink; isNew: boolean }) {
  const { control, showUser } = usePage();
  const row = useRef<HTMLLIElement>(null);
  const opener = useRef<HTMLAnchorElement>(null);
  const { linkId, url, userId, state, recipientAnswer } = link;
  const about = `the link of ${userId}`;

  useEffect(() => {
    if (isNew) opener.current?.focus();
  }, [isNew]);

  const button = (label: string, done: string, action: (link: string) => Promise<unknown>) => {
    const press = () => {
      // The buttons go with the state of the link; the row stays and keeps the place of a keyboard user.
      row.current?.focus();
      return action(linkId);
    };
    return <Button label={label} about={about} done={`${about} ${done}`} onPress={press} />;
  };

  return (
    <li ref={row} tabIndex={-1} class={isNew ? 'link new' : 'link'}>
      <p class="what row">
        <span class={`tag ${TONES[state]}`}>{state}</span>
        <button type="button" class="plain" onClick={() => showUser(userId)}>
          <span class="vh">Sessions of </span>
          {userId}
        </button>
        <span class="hint">{history(link)}</span>
      </p>
      <code class="url" title={url}>
        {url}
      </code>
      {recipientAnswer !== undefined && <p class="hint">Answer of the recipient: {recipientAnswer}</p>}
      <div class="row">
        <CopyButton text={url} about={`the URL of ${about}`} />
        {isUsable(link) && (
          <>
            <a class="button small" href={url} target="_blank" rel="noopener" ref={opener}>
              Open<span class="vh"> {about} in a new tab</span>
            </a>
            {button('Submit', 'submitted', control.submitLink)}
            {button('Expire', 'expired', control.expireLink)}
            {button('Revoke', 'revoked', control.revokeLink)}
          </>
        )}
      </div>
      <Photos link={link} about={about} />
      <Fold title={<span>History of {linkId.slice(0, SHORT_ID)}</span>}>
        <Timeline link={link} unlock={button('Unlock', 'unlocked', control.unlockLink)} />
      </Fold>
    </li>
  );
}

/** The photos of a link, if the form of its client takes any. */
function Photos({ link: { clientId, linkId }, about }: { link: MockLink; about: string }) {
  const { control, client } = usePage();
  const isTaken = (client.settings?.form?.photos?.need ?? 'hidden') !== 'hidden';
  const load = async () => (isTaken ? control.photos(linkId) : []);
  const photos = useLoaded(load, [control, linkId, isTaken]) ?? [];
  if (photos.length === 0) return null;
  return (
    <ul class="photos" aria-label={`Photos of ${about}`}>
      {photos.map(({ id, type, size, isMissing }, index) => {
        const text = join([type.slice('image/'.length), toSize(size)]);
        const url = `__mock/photo?${new URLSearchParams({ clientId, link: linkId, id })}`;
        return (
          <li key={id} class="shown-photo">
            {isMissing ? (
              <span class="photo">bytes missing</span>
            ) : (
              <a href={url} download>
                <img
                  class="photo"
                  src={url}
                  alt={`Save ${index + 1}: ${text}`}
                  loading="lazy"
                  decoding="async"
                />
              </a>
            )}
            <span class="hint">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** What became of a link, with the requests to its pages, by time. A locked link has the button `unlock`. */
function Timeline({ link, unlock }: { link: MockLink; unlock: JSX.Element }) {
  const { clientId, linkId } = link;
  const { control } = usePage();
  const loaded = useLoaded(
    () => Promise.all([control.linkHistory(linkId), control.requests({ clientId, linkId })]),
    [control, clientId, linkId],
  );
  const [history = [], requests = []] = loaded ?? [];
  const isLocked = history.findLast(({ type }) => LOCKS.includes(type))?.type === 'link.locked';
  const rows = [
    ...history.map(({ type, at, why, unchanged, attempts, apiKeyId }) => ({
      at,
      text: join([
        type,
        why,
        unchanged === false && 'another claim, not stored',
        attempts !== undefined && `attempt ${attempts}`,
        apiKeyId !== undefined && `API key ${apiKeyId}`,
      ]),
    })),
    ...requests.map(({ time, method, route, status, code }) => ({
      at: time,
      text: join([`${method} ${route}`, status ?? 'cut', code]),
    })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  return (
    <>
      <ol class="timeline">
        {rows.map(({ at, text }, index) => (
          <li key={index}>
            <time dateTime={at.toISOString()}>{toSecond(at)}</time> {text}
          </li>
        ))}
      </ol>
      {isLocked && isUsable(link) && unlock}
    </>
  );
}

function isUsable({ state }: MockLink): boolean {
  return state === 'created' || state === 'opened';
}

function history(link: MockLink): string {
  const { state, reference, createdAt, openedAt, submittedAt, revokedAt, expiresAt } = link;
  return join([
    `created ${toSecond(createdAt)}`,
    openedAt && `opened ${toSecond(openedAt)}`,
    submittedAt && `submitted ${toSecond(submittedAt)}`,
    reference,
    revokedAt && `revoked ${toSecond(revokedAt)}`,
    state === 'expired' && `expired ${toSecond(expiresAt)}`,
    isUsable(link) && `expires ${toSecond(expiresAt)}`,
  ]);
}
