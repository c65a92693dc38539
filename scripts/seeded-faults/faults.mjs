// Mistakes that a maintainer could make, and the checks that find each of them. Each `search` occurs once in its file.
// What any storage can do wrong is in test/testing/broken-storages.ts. `storage` is a key there: the memory storage does it.

/** A history that shows a mistake has at most this number of steps. */
export const MAX_STEPS = 12;

const test = (file) => ['--enable-source-maps', 'scripts/test-process.mjs', `test/${file}.test.ts`];

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
  interleavings: test('storage/postgres-interleavings.long'),
  'tests of delivery': test('core/delivery'),
  'tests of the credential cache': test('core/credential-cache'),
  'tests of the link signer': test('core/link-signer'),
  'tests of forged links': test('core/forged-links'),
  'tests of the expiry': test('core/link-expiry'),
  'tests of submissions': test('core/submit-claim'),
  'tests of validateClaim': test('core/validate-claim'),
  'tests of opening': test('core/open-link'),
  'tests of the callback URL': test('core/callback-url'),
  'tests of authentication': test('http/authenticate'),
  'tests of the redirect': test('http/redirect'),
  'tests of the receipt': test('http/receipt'),
  'tests of framed pages': test('widget/frame'),
  'tests of the time limit': test('core/guarded-storage'),
  'tests of provisioning': test('core/provisioning'),
  'tests of the form of a client': test('core/client-form'),
};

const SQL = 'lib/storage/postgres/statements.ts';
const QUERIES = 'lib/storage/sql/reads.ts';
const POSTGRES = 'lib/storage/postgres/index.ts';
const MEMORY = 'lib/storage/memory.ts';
const DELIVERY = 'lib/core/delivery.ts';
const SERVICE = 'lib/core/service.ts';
const SIGNER = 'lib/core/link-signer.ts';
const CACHE = 'lib/core/credential-cache.ts';
const AUTHENTICATE = 'lib/http/authenticate.ts';
const STATE = 'lib/core/link-state.ts';
const VALIDATORS = 'lib/core/validators.ts';
const PAGES = 'lib/http/page-routes.ts';
const OUTCOME = 'lib/widget/outcome.ts';
const FRAME = 'lib/widget/frame.ts';

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
    file: SERVICE,
    search: 'if (!isUsable(state)) throw',
    replace: 'if (false) throw',
    checks: ['simulation', 'tests of opening'],
  },
  {
    name: 'token-of-another-link',
    mistake: 'An access code is accepted with the token of another link',
    file: SERVICE,
    search: '    if (claims.accessCode !== accessCode) throw new ClaimlinkError(code);\n',
    replace: '',
    checks: ['simulation', 'tests of forged links'],
  },
  {
    name: 'repetition-looks-new',
    mistake: 'A repeated submission is reported as the first one',
    file: SERVICE,
    search: 'return repeatSubmission(verified, result.session, body, time);',
    replace: 'return { ...repeatSubmission(verified, result.session, body, time), repeated: false };',
    checks: ['simulation', 'tests of submissions'],
  },
  {
    name: 'repetition-checked-by-host',
    mistake: 'validateClaim is called for a repeated submission',
    file: SERVICE,
    search: '    // A repeated submission gets the result of the first one, whatever its body contains.\n',
    replace:
      '    await checkClaim?.(parseClaimSubmission(body, time, verified.client.settings?.form), describeLink(verified, time));\n',
    checks: ['tests of validateClaim'],
  },
  {
    name: 'failed-check-accepts',
    mistake: 'A failure of validateClaim accepts the claim, which consumes the link',
    file: 'lib/core/validate-claim.ts',
    search: "      throw new ClaimlinkError('validation_unavailable'",
    replace: "      if (cause) return [];\n      throw new ClaimlinkError('validation_unavailable'",
    checks: ['tests of validateClaim'],
  },
  {
    name: 'repetition-validated',
    mistake: 'A repeated submission is rejected if its claim is not valid',
    file: SERVICE,
    search:
      '    if (firstSession !== undefined) return repeatSubmission(verified, firstSession, body, time);\n',
    replace: '',
    checks: ['tests of submissions'],
  },
  {
    name: 'taken-reference-fails',
    mistake: 'A taken reference is not replaced by another one',
    file: SERVICE,
    search: 'const MAX_ATTEMPTS = 3;',
    replace: 'const MAX_ATTEMPTS = 1;',
    checks: ['simulation', 'tests of submissions'],
  },
  {
    name: 'callback-not-checked-again',
    mistake: 'The redirect does not look whether the client still allows the origin',
    file: SERVICE,
    search: 'const isAllowed = callbackProblem(link.callbackUrl, callbackPolicy(client)) === undefined;',
    replace: 'const isAllowed = true;',
    checks: ['tests of the redirect'],
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
    file: SERVICE,
    search: 'const unchanged = isStoredClaim(session, body, verified, time);',
    replace: 'const unchanged = true; void isStoredClaim; void body; void time;',
    checks: ['simulation of pages', 'tests of submissions', 'tests of the receipt'],
  },
  {
    name: 'form-is-ignored',
    mistake: 'A claim may lack what the form of its client requires',
    file: VALIDATORS,
    search: "    if (needOf(form, field) === 'required')",
    replace: "    if (needOf(undefined, field) === 'required')",
    checks: ['tests of the form of a client'],
  },
  {
    name: 'unknown-answers-are-dropped',
    mistake: 'An answer to an unknown question is accepted',
    file: VALIDATORS,
    search: 'if (questions.some((question) => question.key === key)) continue;',
    replace: 'if (key !== "") continue;',
    checks: ['tests of the form of a client'],
  },
  {
    name: 'newer-settings-are-ignored',
    mistake: 'A process takes claims of a client with a setting that it does not know',
    file: SERVICE,
    search: 'if (!knowsSettings(client)) throw',
    replace: 'if (!knowsSettings(client) && time.getTime() === 0) throw',
    checks: ['tests of the form of a client'],
  },
  {
    name: 'end-undoes-submission',
    mistake: 'A submitted link is expired after its end',
    file: SERVICE,
    search: "    if (purpose === 'submit' && stored.session !== undefined) return stored;\n",
    replace:
      "    if (isExpired) throw new UnusableLinkError('link_expired', stored);\n    if (purpose === 'submit' && stored.session !== undefined) return stored;\n",
    checks: ['simulation of pages', 'tests of submissions', 'tests of the receipt'],
  },
  {
    name: 'server-error-is-not-sent',
    mistake: 'After a 5xx, a claim is shown as not sent',
    file: OUTCOME,
    search: "if (status >= 500 && code !== 'validation_unavailable') return",
    replace: 'if (status >= 600) return',
    checks: ['simulation of pages'],
  },
  {
    name: 'message-to-every-page',
    mistake: 'A framed page posts its messages to `*` if a storage has that as an origin',
    file: FRAME,
    search: 'frameAncestors.filter((origin) => parseUrl(origin)?.origin === origin)',
    replace: 'frameAncestors',
    checks: ['tests of framed pages'],
  },
  {
    name: 'receipt-for-everyone',
    mistake: 'The page of a submitted link shows the answers without the cookie',
    file: PAGES,
    search: '...(cookies.isPresent(request, verified.link) && {',
    replace: '...(cookies && request && {',
    checks: ['simulation of pages', 'tests of the receipt'],
  },
  {
    name: 'cookie-of-a-changed-claim',
    mistake: 'A repetition with another text gets the receipt cookie',
    file: PAGES,
    search: 'const cookie = unchanged === false ? undefined : cookies.create(link, accessCode, client);',
    replace: 'void unchanged; const cookie = cookies.create(link, accessCode, client);',
    checks: ['simulation of pages', 'tests of the receipt'],
  },
  // Tokens
  {
    name: 'first-key-verifies',
    mistake: 'Only the first key of the ring verifies',
    file: SIGNER,
    search: 'const key = ring.get(kidOf(token));',
    replace: 'const key = first;',
    checks: ['simulation', 'tests of the link signer'],
  },
  {
    name: 'algorithm-not-pinned',
    mistake: 'A token may choose its algorithm',
    file: SIGNER,
    search: '          algorithms: [key.algorithm],\n          issuer,',
    replace: '          issuer,',
    checks: ['tests of the link signer'],
  },
  {
    name: 'issuer-not-checked',
    mistake: 'A token of another issuer is accepted',
    file: SIGNER,
    search: '          issuer,\n          audience: AUDIENCE,\n          // ',
    replace: '          audience: AUDIENCE,\n          // ',
    checks: ['tests of the link signer'],
  },
  {
    name: 'token-never-expires',
    mistake: 'The expiry of a token is compared with the start of Unix time',
    file: SIGNER,
    search: 'clockTimestamp: Math.floor(now.getTime() / 1000) || 1,',
    replace: 'clockTimestamp: 1,',
    checks: ['tests of the link signer'],
  },
  // Delivery
  {
    name: 'settle-before-handling',
    mistake: 'An event is settled before onSubmit handles it',
    file: DELIVERY,
    search: '    const reason = await attempt(event, isFinal);\n',
    replace:
      '    await outbox.settleEvent({ clientId, reference, id });\n    const reason = await attempt(event, isFinal);\n',
    checks: ['simulation', 'tests of delivery'],
  },
  {
    name: 'failure-settles',
    mistake: 'A failed attempt settles the event',
    file: DELIVERY,
    search: 'if (reason === undefined) await outbox.settleEvent',
    replace: 'if (true) await outbox.settleEvent',
    checks: ['simulation', 'tests of delivery'],
  },
  {
    name: 'deliver-before-commit',
    mistake: 'The delivery begins before the submission is committed',
    file: SERVICE,
    search: '      const result = await storage.submitLink({\n',
    replace:
      '      delivery.startDelivery(link, await createSession(link, time, claim), event);\n      const result = await storage.submitLink({\n',
    checks: ['simulation', 'tests of delivery'],
  },
  {
    name: 'deliver-repetitions',
    mistake: 'A repeated submission is delivered as well',
    file: SERVICE,
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
    checks: ['simulation', 'tests of delivery'],
  },
  {
    name: 'short-lease',
    mistake: 'A lease ends before its attempt',
    file: DELIVERY,
    search: 'leaseUntil: inSeconds(LEASE_SECONDS)',
    replace: 'leaseUntil: inSeconds(1)',
    checks: ['tests of delivery'],
  },
  {
    name: 'one-attempt',
    mistake: 'The first failed attempt is the last one',
    file: DELIVERY,
    search: 'const isFinal = attempts >= DELIVERY_ATTEMPTS;',
    replace: 'const isFinal = attempts >= 1;',
    checks: ['tests of delivery'],
  },
  {
    name: 'attempt-without-limit',
    mistake: 'An attempt has no time limit',
    file: DELIVERY,
    search: 'await withinTime(onSubmit?.(submission), LEASE_SECONDS, createError);',
    replace: 'void createError; await onSubmit?.(submission);',
    checks: ['tests of delivery'],
  },
  {
    name: 'idle-does-not-wait',
    mistake: 'idle does not wait for deliveries that run',
    file: DELIVERY,
    search: '        while (running.size > 0) await Promise.all(running);\n',
    replace: '',
    checks: ['tests of delivery'],
  },
  // Storage calls
  {
    name: 'no-storage-timeout',
    mistake: 'A storage call has no time limit',
    file: 'lib/core/guarded-storage.ts',
    search: 'return withinTime(result, timeoutSeconds, createError);',
    replace: 'void createError; void withinTime; return result;',
    checks: ['tests of the time limit'],
  },
  // API keys
  {
    name: 'revoked-key-works',
    mistake: 'Authentication does not look whether the key is revoked',
    file: AUTHENTICATE,
    search: ' || isPast(apiKey.revokedAt, time)',
    replace: '',
    checks: ['simulation', 'tests of authentication'],
  },
  {
    name: 'expired-key-works',
    mistake: 'Authentication does not look whether the key has expired',
    file: AUTHENTICATE,
    search: 'isPast(apiKey.expiresAt, time) || ',
    replace: '',
    checks: ['simulation', 'tests of authentication'],
  },
  {
    name: 'key-of-another-client',
    mistake: 'Authentication accepts the key of another client',
    file: AUTHENTICATE,
    search: '  if (apiKey.clientId !== client.clientId) throw keyInvalid();\n',
    replace: '',
    checks: ['simulation', 'tests of authentication'],
  },
  {
    name: 'cache-not-emptied',
    mistake: 'A revoked key stays in the cache of its process',
    file: CACHE,
    search: '        entries.clear();\n',
    replace: '',
    checks: ['simulation', 'tests of the credential cache'],
  },
  {
    name: 'cache-never-expires',
    mistake: 'An entry of the cache has no maximum age',
    file: CACHE,
    search: 'return age >= 0 && age < maxAgeSeconds * 1000;',
    replace: 'return age >= 0;',
    checks: ['simulation', 'tests of the credential cache'],
  },
  {
    name: 'cache-forgets-the-client',
    mistake: 'The cache finds credentials by the key alone',
    file: CACHE,
    search: 'entry?.credentials.client?.clientId !== query.clientId',
    replace: 'entry === undefined',
    checks: ['simulation', 'tests of the credential cache'],
  },
  {
    name: 'cache-keeps-a-stale-lookup',
    mistake: 'A lookup that began before a change is cached',
    file: CACHE,
    search: 'changes === changesBefore && ',
    replace: '',
    checks: ['tests of the credential cache'],
  },
  {
    name: 'cache-keeps-a-page',
    mistake: 'The cache asks for the page of a listing, and keeps it with the key',
    file: CACHE,
    search: 'const { page: _, ...credentials } = await storage.findCredentials({',
    replace: 'const credentials = await storage.findCredentials({\n      ...query,',
    checks: ['tests of the credential cache'],
  },
  {
    name: 'page-before-the-check',
    mistake: 'The page that came with a key is shown although the key has ended',
    file: AUTHENTICATE,
    search: 'if (apiKey === undefined || isPast(apiKey.expiresAt, time) || isPast(apiKey.revokedAt, time)) {',
    replace:
      'if (apiKey === undefined || (page === undefined && (isPast(apiKey.expiresAt, time) || isPast(apiKey.revokedAt, time)))) {',
    checks: ['tests of authentication'],
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
    file: 'mock-server/state/mock-client.ts',
    search: '        store(userId);\n        emitLink(submission.accessCodeHash);',
    replace: '        emitLink(submission.accessCodeHash);',
    checks: ['simulation'],
  },
  // SQL
  {
    name: 'sql-no-row-lock',
    mistake: 'submitLink does not lock the row of the link',
    file: SQL,
    search: ' WHERE client_id = $1)\n  FOR UPDATE\n',
    replace: ' WHERE client_id = $1)\n',
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-page-of-another-client',
    mistake: 'The page of a listing is read with the key of another client',
    file: SQL,
    search: 'WHEN k.client_id = c.client_id\n    AND (k.expires_at',
    replace: 'WHEN c.client_id IS NOT NULL\n    AND (k.expires_at',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-page-with-a-revoked-key',
    mistake: 'The page of a listing is read with a revoked key',
    file: SQL,
    search: ' AND (k.revoked_at IS NULL OR k.revoked_at > ${at})\n',
    replace: '\n',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-page-at-the-expiry',
    mistake: 'The page of a listing is read with a key that ends at this moment',
    file: SQL,
    search: 'k.expires_at > ${at}',
    replace: 'k.expires_at >= ${at}',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-wrong-time',
    mistake: 'The expiry is compared with the clock of the database',
    file: SQL,
    search: 'revoked_at IS NULL AND expires_at > $3::timestamptz',
    replace: 'revoked_at IS NULL AND expires_at > now() AND $3::timestamptz IS NOT NULL',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-revoked-is-usable',
    mistake: 'A revoked link counts as usable',
    file: SQL,
    search: "const isUsable = 'submitted_at IS NULL AND revoked_at IS NULL AND",
    replace: "const isUsable = 'submitted_at IS NULL AND",
    checks: ['storage suite, PostgreSQL', 'interleavings'],
  },
  {
    name: 'sql-number-for-all',
    mistake: 'A submission is numbered and stored without a look at the state of its link',
    file: SQL,
    search: 'SELECT client_id, 1 FROM link WHERE ${isUsable}',
    replace: 'SELECT client_id, 1 FROM link',
    checks: ['storage suite, PostgreSQL'],
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
    file: SQL,
    search:
      'DELETE FROM ${events} WHERE client_id = $1 AND reference IN (SELECT reference FROM deleted) RETURNING 1',
    replace:
      'DELETE FROM ${events} WHERE $1::text IS NOT NULL AND reference IN (SELECT reference FROM deleted) RETURNING 1',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-lease-without-lock',
    mistake: 'leaseEvents does not lock the events that it selects',
    file: SQL,
    search: '  LIMIT $3\n  FOR UPDATE SKIP LOCKED\n',
    replace: '  LIMIT $3\n',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-lease-waits',
    mistake: 'leaseEvents waits for events that another transaction has locked',
    file: SQL,
    search: '  LIMIT $3\n  FOR UPDATE SKIP LOCKED\n',
    replace: '  LIMIT $3\n  FOR UPDATE\n',
    checks: ['storage suite, PostgreSQL'],
  },
  {
    name: 'sql-sessions-before-links',
    mistake: 'deleteUser deletes the sessions before the links',
    file: POSTGRES,
    search: `      const links = await count(sql.deleteLinksOfUser, [clientId, userId]);
      const [row] = await execute(sql.deleteSessionsOfUser, [clientId, userId]);
`,
    replace: `      const [row] = await execute(sql.deleteSessionsOfUser, [clientId, userId]);
      const links = await count(sql.deleteLinksOfUser, [clientId, userId]);
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
