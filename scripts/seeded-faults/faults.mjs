// Mistakes that a maintainer could make and that a published suite, a simulation or the interleavings find by themselves. Each
// `search` occurs once in its file. The tests of a module find the mistakes of its own rules, and are no checks here.
// What any storage can do wrong is in test/testing/broken-storages.ts. `storage` is a key there: the memory storage does it.

/** A history that shows a mistake has at most this number of steps. */
export const MAX_STEPS = 12;

/** The arguments of node for each check. */
export const CHECKS = {
  simulation: ['build/test/simulation/main.js', '--seed', '1', '--runs', '4000'],
  'simulation of pages': ['build/test/simulation/main.js', '--pages', '--seed', '1', '--runs', '2000'],
  'storage suite, memory': ['scripts/seeded-faults/storage-suite.mjs', 'memory'],
  'storage suite, PostgreSQL': ['scripts/seeded-faults/storage-suite.mjs', 'postgres'],
  'storage suite, PostgreSQL, serializable': [
    'scripts/seeded-faults/storage-suite.mjs',
    'postgres',
    'serializable',
  ],
  interleavings: [
    '--enable-source-maps',
    'scripts/test-process.mjs',
    'test/storage/postgres-interleavings.long.test.ts',
  ],
};

const SQL = 'lib/storage/postgres/statements';
const QUERIES = 'lib/storage/sql/reads.ts';
const POSTGRES = 'lib/storage/postgres/index.ts';
const MEMORY = 'lib/storage/memory.ts';
const MEMORY_LIFE = 'lib/storage/memory-life.ts';
const MEMORY_SESSIONS = 'lib/storage/memory-sessions.ts';
const MEMORY_LINKS = 'lib/storage/memory-links.ts';
const MEMORY_OUTBOX = 'lib/storage/memory-outbox.ts';
const LIFE = 'lib/core/life.ts';
const LIFE_EVENTS = 'lib/core/life-events.ts';
const DELIVERY = 'lib/core/delivery.ts';
const DELIVERY_ATTEMPT = 'lib/core/delivery-attempt.ts';
const VERIFY_LINK = 'lib/core/verify-link.ts';
const RECIPIENT_CHECK = 'lib/core/recipient-check.ts';
const SUBMISSION = 'lib/core/submit-claim.ts';
const SIGNER = 'lib/core/link-signer.ts';
const CACHE = 'lib/core/credential-cache.ts';
const AUTHENTICATE = 'lib/http/authenticate.ts';
const STATE = 'lib/core/link-state.ts';
const ERROR_PAGE = 'lib/http/pages/error-page.ts';
const SUBMIT_CLAIM = 'lib/http/pages/submit-claim.ts';
const OUTCOME = 'lib/widget/outcome.ts';

export const FAULTS = [
  // Life of a link
  {
    name: 'submitted-is-usable',
    mistake: 'The state of a link does not look whether it is submitted',
    file: STATE,
    search: "  if (link.submittedAt !== undefined) return 'submitted';\n",
    replace: '',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'revoked-is-usable',
    mistake: 'The state of a link does not look whether it is revoked',
    file: STATE,
    search: "  if (link.revokedAt !== undefined) return 'revoked';\n",
    replace: '',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'expired-is-usable',
    mistake: 'The state of a link does not look whether it is expired',
    file: STATE,
    search: "  if (!(link.expiresAt > at)) return 'expired';\n",
    replace: '',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'usable-at-the-expiry',
    mistake: 'A link can be used in the millisecond of its expiry',
    file: STATE,
    search: '!(link.expiresAt > at)',
    replace: '!(link.expiresAt >= at)',
    checks: ['storage suite, memory'],
  },
  {
    name: 'state-not-checked',
    mistake: 'The service does not check the state of a link that it found',
    file: VERIFY_LINK,
    search: 'if (!isUsable(state)) throw',
    replace: 'if (false) throw',
    checks: ['simulation'],
  },
  {
    name: 'token-of-another-link',
    mistake: 'An access code is accepted with the token of another link',
    file: VERIFY_LINK,
    search: '    if (claims.accessCode !== accessCode) throw new ClaimlinkError(code);\n',
    replace: '',
    checks: ['simulation'],
  },
  {
    name: 'repetition-looks-new',
    mistake: 'A repeated submission is reported as the first one',
    file: SUBMISSION,
    search: 'return repeatSubmission(verified, result.session, body, time);',
    replace: 'return { ...repeatSubmission(verified, result.session, body, time), repeated: false };',
    checks: ['simulation'],
  },
  {
    name: 'taken-reference-fails',
    mistake: 'A taken reference is not replaced by another one',
    file: SUBMISSION,
    search: 'const MAX_ATTEMPTS = 3;',
    replace: 'const MAX_ATTEMPTS = 1;',
    checks: ['simulation'],
  },
  // What pages tell
  {
    name: 'changed-is-sent',
    mistake: 'A repetition with another text is shown as sent',
    file: OUTCOME,
    search: "kind: data.unchanged === false ? 'changed' : 'sent'",
    replace: "kind: 'sent'",
    checks: ['simulation of pages'],
  },
  {
    name: 'unchanged-always',
    mistake: 'Each repetition counts as unchanged',
    file: SUBMISSION,
    search: 'const unchanged = isStoredClaim(session, body, verified, time);',
    replace: 'const unchanged = true; void isStoredClaim; void body; void time;',
    checks: ['simulation of pages'],
  },
  {
    name: 'end-undoes-submission',
    mistake: 'A submitted link is expired after its end',
    file: VERIFY_LINK,
    search: "    if (purpose === 'submit' && stored.session !== undefined) return stored;\n",
    replace:
      "    if (isExpired) throw new UnusableLinkError('link_expired', stored);\n    if (purpose === 'submit' && stored.session !== undefined) return stored;\n",
    checks: ['simulation of pages'],
  },
  {
    name: 'server-error-is-not-sent',
    mistake: 'After a 5xx, a claim is shown as not sent',
    file: OUTCOME,
    search: '(status >= 500 && !isNotStored(code))',
    replace: 'status >= 600',
    checks: ['simulation of pages'],
  },
  {
    name: 'receipt-for-everyone',
    mistake: 'The page of a submitted link shows the answers without the cookie',
    file: ERROR_PAGE,
    search: '...(receipts.isPresent(request, verified.link) && {',
    replace: '...(receipts && request && {',
    checks: ['simulation of pages'],
  },
  {
    name: 'cookie-of-a-changed-claim',
    mistake: 'A repetition with another text gets the receipt cookie',
    file: SUBMIT_CLAIM,
    search:
      'return withCookie(response, unchanged === false ? undefined : receipts.create(link, accessCode, client));',
    replace: 'void unchanged; return withCookie(response, receipts.create(link, accessCode, client));',
    checks: ['simulation of pages'],
  },
  // The question to the recipient
  {
    name: 'counter-after-the-comparison',
    mistake: 'An attempt is counted after its answer was compared',
    file: RECIPIENT_CHECK,
    search: '  const attempts = attemptsAt(storage, link, wait, calls.isLocked);\n',
    replace:
      '  const attempts = attemptsAt(storage, link, wait, calls.isLocked);\n  if (asked.member && answer !== undefined && isSameAnswer(expected, answer, KINDS[asked.member])) return;\n',
    checks: ['simulation'],
  },
  {
    name: 'wrong-answer-returns-its-attempt',
    mistake: 'The attempt of a wrong answer comes back',
    file: RECIPIENT_CHECK,
    search: '  if (number < MAX_CHECK_ATTEMPTS) throw',
    replace: '  await attempts.giveBack();\n  if (number < MAX_CHECK_ATTEMPTS) throw',
    checks: ['simulation'],
  },
  {
    name: 'submission-without-an-answer',
    mistake: 'A submission needs no answer',
    file: SUBMISSION,
    search: '    await proveRecipient(verified, proof);\n',
    replace: '    void proveRecipient; void proof;\n',
    checks: ['simulation'],
  },
  // Tokens
  {
    name: 'first-key-verifies',
    mistake: 'Only the first key of the ring verifies',
    file: SIGNER,
    search: 'const key = ring.get(kidOf(token));',
    replace: 'const key = first;',
    checks: ['simulation'],
  },
  {
    name: 'attempts-without-limit',
    mistake: 'The memory storage counts attempts without their limit',
    file: MEMORY_LINKS,
    search: 'if (!linksByKey.has(key) || attempts > limit) return undefined;',
    replace: 'if (!linksByKey.has(key)) return undefined;',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'key-of-a-deleted-link',
    mistake: 'A link that the memory storage deletes leaves its Idempotency-Key',
    file: MEMORY_LINKS,
    search: '    if (idempotency) linksByKeyMac.delete(compoundKey(link.clientId, idempotency.keyMac));\n',
    replace: '    void idempotency;\n',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'numbers-out-of-order',
    mistake: 'A later submission has the lower number',
    file: MEMORY_SESSIONS,
    search: 'if (!add(clientId, userId, session, sequence))',
    replace: 'if (!add(clientId, userId, session, ((sequence - 1) ^ 1) + 1))',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'second-link-of-a-key',
    mistake: 'The memory storage inserts a second link with the same Idempotency-Key',
    file: MEMORY_LINKS,
    search: 'const isTaken = linksByKeyMac.has(compoundKey(link.clientId, idempotency.keyMac));',
    replace: 'const isTaken = false;',
    checks: ['simulation', 'storage suite, memory'],
  },
  // Delivery
  {
    name: 'settle-before-handling',
    mistake: 'An event is settled before onSubmit handles it',
    file: DELIVERY_ATTEMPT,
    search: '    const failure = await attempt(stored, attempts >= DELIVERY_ATTEMPTS);\n',
    replace:
      '    await outbox.settleEvent(key);\n    const failure = await attempt(stored, attempts >= DELIVERY_ATTEMPTS);\n',
    checks: ['simulation'],
  },
  {
    name: 'failure-settles',
    mistake: 'A failed attempt settles the event',
    file: DELIVERY_ATTEMPT,
    search: 'if (failure === undefined) await outbox.settleEvent',
    replace: 'if (true) await outbox.settleEvent',
    checks: ['simulation'],
  },
  {
    name: 'deliver-before-commit',
    mistake: 'The delivery begins before the submission is committed',
    file: SUBMISSION,
    search: '      const result = await storage.submitLink({\n',
    replace:
      '      delivery.startDelivery(link, await createSession(link, time, claim), event);\n      const result = await storage.submitLink({\n',
    checks: ['simulation'],
  },
  {
    name: 'deliver-repetitions',
    mistake: 'A repeated submission is delivered as well',
    file: SUBMISSION,
    search: "        case 'already_submitted':\n",
    replace:
      "        case 'already_submitted':\n          delivery.startDelivery(link, result.session, event);\n",
    checks: ['simulation'],
  },
  {
    name: 'no-first-lease',
    mistake: 'The process that accepts a claim does not lease its event',
    file: DELIVERY,
    search: '{ id: randomUUID(), attempts: 1, nextAttemptAt: inSeconds(LEASE_SECONDS) }',
    replace: '{ id: randomUUID(), attempts: 1, nextAttemptAt: now() }',
    checks: ['simulation'],
  },
  // API keys
  {
    name: 'revoked-key-works',
    mistake: 'Authentication does not look whether the key is revoked',
    file: AUTHENTICATE,
    search: ' || isPast(apiKey.revokedAt, time)',
    replace: '',
    checks: ['simulation'],
  },
  {
    name: 'expired-key-works',
    mistake: 'Authentication does not look whether the key has expired',
    file: AUTHENTICATE,
    search: 'isPast(apiKey.expiresAt, time) || ',
    replace: '',
    checks: ['simulation'],
  },
  {
    name: 'key-of-another-client',
    mistake: 'Authentication accepts the key of another client',
    file: AUTHENTICATE,
    search: '  if (apiKey.clientId !== client.clientId) throw keyInvalid();\n',
    replace: '',
    checks: ['simulation'],
  },
  {
    name: 'cache-not-emptied',
    mistake: 'A revoked key stays in the cache of its process',
    file: CACHE,
    search: '        entries.clear();\n',
    replace: '',
    checks: ['simulation'],
  },
  {
    name: 'cache-never-expires',
    mistake: 'An entry of the cache has no maximum age',
    file: CACHE,
    search: 'return age >= 0 && age < maxAgeSeconds * 1000;',
    replace: 'return age >= 0;',
    checks: ['simulation'],
  },
  {
    name: 'cache-forgets-the-client',
    mistake: 'The cache finds credentials by the key alone',
    file: CACHE,
    search: 'entry?.credentials.client?.clientId !== query.clientId',
    replace: 'entry === undefined',
    checks: ['simulation'],
  },
  // Storages that the storage suite finds, and the simulation as well
  ...Object.entries({
    'link-without-client': 'lets a client revoke the link of another client',
    'sessions-of-all-clients': 'lists the sessions of all clients',
    'order-by-date': 'lists the sessions of a client page by page in the order of their dates',
    'cursor-repeats': 'begins a page of listClientSessions with the last session of the page before',
    'event-not-recorded': 'does not record events',
    'prefill-stays': 'keeps the prefilled data of a submitted link',
    'user-keeps-links': 'keeps the links of a deleted user',
    'sweep-before-expiry': 'deletes links before they expire',
    'stale-listing': 'lists sessions as they were at their first listing',
  }).map(([name, storage]) => ({
    name,
    mistake: `A storage ${storage}`,
    file: MEMORY,
    storage,
    checks: ['simulation'],
  })),
  // Mock
  {
    name: 'mock-drops-submissions',
    mistake: 'The mock drops the submitted sessions of a user together with the seeded ones',
    file: 'mock-server/state/client-storage.ts',
    search: '        seed.store(userId);\n',
    replace: '',
    checks: ['simulation'],
  },
  // Moments and events of links
  {
    name: 'lease-not-counted',
    mistake: 'The memory storage leases an event without counting the attempt',
    file: MEMORY_OUTBOX,
    search: 'attempts: event.attempts + 1, nextAttemptAt: leaseUntil',
    replace: 'attempts: event.attempts, nextAttemptAt: leaseUntil',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'postponed-by-another-process',
    mistake: 'The memory storage records the failure of an attempt whose lease another process has',
    file: MEMORY_OUTBOX,
    search: 'if (event?.attempts === failure.attempts)',
    replace: 'if (event)',
    checks: ['storage suite, memory'],
  },
  {
    name: 'deletion-lost-with-client',
    mistake: 'The memory storage deletes the events of deletions with their user or client',
    file: MEMORY_OUTBOX,
    search: "          event.type !== 'data.deleted' &&\n",
    replace: '',
    checks: ['storage suite, memory'],
  },
  {
    name: 'kind-ignored',
    mistake: 'The memory storage returns the events of every kind',
    file: MEMORY_OUTBOX,
    search: "(kind === undefined || isSubmission(event) === (kind === 'submission'))",
    replace: 'true',
    checks: ['storage suite, memory'],
  },
  {
    name: 'moment-at-any-position',
    mistake: 'The memory storage adds a moment whatever the number of moments is',
    file: MEMORY_LIFE,
    search: 'if (link === undefined || lifeOf(link).moments.length !== sequence - 1) return false;',
    replace: 'if (link === undefined || sequence < 1) return false;',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'ended-link-is-declined',
    mistake: 'The memory storage lets the recipient decline a link that has ended',
    file: MEMORY_LIFE,
    search: '      if (revoke && !isUsable(linkState(link, moment.at))) return false;\n',
    replace: '',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'choice-ignored',
    mistake: 'A moment is an event though its type was not chosen',
    file: LIFE_EVENTS,
    search: "type === 'claim.repeated' || !types.includes(type)) return undefined;",
    replace: "type === 'claim.repeated' || types === undefined) return undefined;",
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'end-forgotten',
    mistake: 'A link with link.expiring gets no link.expired',
    file: LIFE_EVENTS,
    search: '...(followsExpiry && { noticeAt: link.expiresAt }),',
    replace: '...(followsExpiry && {}),',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'notice-repeated',
    mistake: 'A link that has expired stays due',
    file: MEMORY_LIFE,
    search: 'if (moment) addMoment(link, moment, next);',
    replace: 'if (moment) addMoment(link, moment, next ?? noticeAt);',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'living-session-named',
    mistake: 'data.deleted names a link whose session remains',
    file: MEMORY_LINKS,
    search: 'if (sessionOf(entry) === undefined && !named.has(linkId))',
    replace: 'if (!named.has(linkId))',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'deleted-session-without-link',
    mistake: 'A deletion of a session does not name its link',
    file: MEMORY_LINKS,
    search: '...(link && { linkId: link.linkId }),',
    replace: '...(link && {}),',
    checks: ['simulation', 'storage suite, memory'],
  },
  {
    name: 'started-twice',
    mistake: 'Each start of a form is a moment',
    file: LIFE,
    search: "(moments) => last(moments, 'link.started') !== undefined",
    replace: '() => false',
    checks: ['simulation'],
  },
  // SQL
  {
    name: 'sql-due-without-lock',
    mistake: 'addDueMoments does not lock the links that it selects',
    file: `${SQL}/moments.ts`,
    search: '  LIMIT $2\n  FOR UPDATE SKIP LOCKED\n), changed',
    replace: '  LIMIT $2\n), changed',
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-moment-at-any-position',
    mistake: 'addMoment adds a moment whatever the number of moments is',
    file: `${SQL}/moments.ts`,
    search: 'coalesce(jsonb_array_length(moments), 0) = $5::integer - 1',
    replace: '$5::integer > 0',
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-submitted-link-stays-due',
    mistake: 'A submission leaves the link due',
    file: `${SQL}/sessions.ts`,
    search: 'session_reference = inserted.reference, notice_at = NULL, ',
    replace: 'session_reference = inserted.reference, ',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-living-session-named',
    mistake: 'data.deleted names a link whose session remains',
    file: `${SQL}/deletions.ts`,
    search: 's.reference = d.session_reference AND s.user_id = d.user_id',
    replace: 's.reference = d.session_reference AND s.user_id <> d.user_id',
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-unseen-session-named',
    mistake: 'deleteUser names a link that is submitted meanwhile before it deletes the session',
    file: `${SQL}/deletions.ts`,
    search: "WHERE ${recordsDeletion(at)} AND ${seesSession('d')} AND NOT EXISTS (",
    replace: 'WHERE ${recordsDeletion(at)} AND NOT EXISTS (',
    checks: ['interleavings'],
  },
  {
    name: 'sql-deleted-session-without-link',
    mistake: 'A deletion of a session does not name its link',
    file: `${SQL}/deletions.ts`,
    search: "SELECT client_id, link->>'linkId' AS link_id, reference FROM deleted",
    replace: 'SELECT client_id, NULL::text AS link_id, reference FROM deleted',
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-link-of-lost-session-unnamed',
    mistake: 'A deletion of a link does not name it if its session was deleted without an event',
    file: `${SQL}/deletions.ts`,
    search: "AND ${seesSession('d')} AND NOT EXISTS (\n    SELECT 1",
    replace: 'AND d.session_reference IS NULL AND NOT EXISTS (\n    SELECT 1',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-no-row-lock',
    mistake: 'submitLink does not lock the row of the link',
    file: `${SQL}/sessions.ts`,
    search: ' WHERE client_id = $1)\n  FOR UPDATE\n',
    replace: ' WHERE client_id = $1)\n',
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-page-of-another-client',
    mistake: 'The page of a listing is read with the key of another client',
    file: `${SQL}/sessions.ts`,
    search: 'WHEN k.client_id = c.client_id\n    AND (k.expires_at',
    replace: 'WHEN c.client_id IS NOT NULL\n    AND (k.expires_at',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-page-with-a-revoked-key',
    mistake: 'The page of a listing is read with a revoked key',
    file: `${SQL}/sessions.ts`,
    search: ' AND (k.revoked_at IS NULL OR k.revoked_at > ${at})\n',
    replace: '\n',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-page-at-the-expiry',
    mistake: 'The page of a listing is read with a key that ends at this moment',
    file: `${SQL}/sessions.ts`,
    search: 'k.expires_at > ${at}',
    replace: 'k.expires_at >= ${at}',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-wrong-time',
    mistake: 'The expiry is compared with the clock of the database',
    file: `${SQL}/fragments.ts`,
    search: 'revoked_at IS NULL AND expires_at > $3::timestamptz',
    replace: 'revoked_at IS NULL AND expires_at > now() AND $3::timestamptz IS NOT NULL',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-revoked-is-usable',
    mistake: 'A revoked link counts as usable',
    file: `${SQL}/fragments.ts`,
    search: "const IS_USABLE = 'submitted_at IS NULL AND revoked_at IS NULL AND",
    replace: "const IS_USABLE = 'submitted_at IS NULL AND",
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-number-for-all',
    mistake: 'A submission is numbered and stored without a look at the state of its link',
    file: `${SQL}/sessions.ts`,
    search: 'SELECT client_id, 1 FROM link WHERE ${IS_USABLE}',
    replace: 'SELECT client_id, 1 FROM link',
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-session-of-another-user',
    mistake: 'The session of a link is found by its reference without the user',
    file: QUERIES,
    search: 's.reference = l.session_reference AND s.user_id = l.user_id',
    replace: 's.reference = l.session_reference',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-events-without-client',
    mistake: 'deleteUser deletes events of other clients with the same reference',
    file: `${SQL}/deletions.ts`,
    search:
      'DELETE FROM ${outbox} WHERE client_id = $1 AND reference IN (SELECT reference FROM deleted) RETURNING 1',
    replace:
      'DELETE FROM ${outbox} WHERE $1::text IS NOT NULL AND reference IN (SELECT reference FROM deleted) RETURNING 1',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-lease-without-lock',
    mistake: 'leaseEvents does not lock the events that it selects',
    file: `${SQL}/events.ts`,
    search: '  LIMIT $3\n  FOR UPDATE SKIP LOCKED\n), leased',
    replace: '  LIMIT $3\n), leased',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-lease-waits',
    mistake: 'leaseEvents waits for events that another transaction has locked',
    file: `${SQL}/events.ts`,
    search: '  LIMIT $3\n  FOR UPDATE SKIP LOCKED\n), leased',
    replace: '  LIMIT $3\n  FOR UPDATE\n), leased',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-deletion-lost-with-client',
    mistake: 'deleteClient deletes the events of earlier deletions',
    file: `${SQL}/deletions.ts`,
    search: "DELETE FROM ${outbox} WHERE ${condition} AND type <> 'data.deleted'",
    replace: 'DELETE FROM ${outbox} WHERE ${condition}',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-lease-of-another-process',
    mistake: 'postponeEvent records the failure of an attempt whose lease another process has',
    file: `${SQL}/events.ts`,
    search: 'WHERE client_id = $1 AND event_id = $2 AND attempts = $3`',
    replace: 'WHERE client_id = $1 AND event_id = $2 AND $3::integer IS NOT NULL`',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-sessions-before-links',
    mistake: 'deleteUser deletes the sessions before the links',
    file: POSTGRES,
    search: `      const links = await count(sql.deleteLinksOfUser, [clientId, userId, at]);
      const [row = {}] = await execute(sql.deleteSessionsOfUser, [clientId, userId, at]);
`,
    replace: `      const [row = {}] = await execute(sql.deleteSessionsOfUser, [clientId, userId, at]);
      const links = await count(sql.deleteLinksOfUser, [clientId, userId, at]);
`,
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-attempts-read-first',
    mistake: 'takeAttempt reads the number of attempts, and writes it later',
    file: POSTGRES,
    search: 'const [row] = await execute(sql.takeAttempt, [clientId, accessCodeHash, limit]);\n',
    replace: `const link = 'claimlink_links WHERE client_id = $1 AND access_code_hash = $2';
      const [before] = await execute(\`SELECT coalesce(check_attempts, 0) AS attempts FROM \${link}\`, [clientId, accessCodeHash]);
      if (before === undefined || Number(before['attempts']) >= limit) return undefined;
      const taken = Number(before['attempts']) + 1;
      const [row] = await execute(
        \`UPDATE \${link.replace('WHERE', 'SET check_attempts = $3 WHERE')} RETURNING check_attempts AS attempts\`,
        [clientId, accessCodeHash, taken],
      );
`,
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-conflict-not-retried',
    mistake: 'A statement that was rolled back by a conflict is not repeated',
    file: 'lib/storage/postgres/execute.ts',
    search: "const RETRYABLE = new Set(['40001', '40P01']);",
    replace: 'const RETRYABLE = new Set<string>();',
    checks: ['storage suite, PostgreSQL, serializable', 'interleavings'],
  },
];
