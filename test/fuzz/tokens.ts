// Sends random and mutated compact tokens to a service. No one opens a link, and no one reaches the storage.
import { createCipheriv } from 'node:crypto';
import { withoutAddedEnd } from '../../lib/core/url.js';
import { createClaimlink, createLinkSigner, createMemoryStorage, isClaimlinkError } from '../../lib/index.js';

export interface TokenFuzzOptions {
  /** Number of random tokens. */
  random: number;
  /** Number of mutated tokens. */
  mutated: number;
  seed: number;
  onProgress?: (sent: number) => void;
}

export interface TokenFuzzResult {
  /** Tokens by the code of their rejection. */
  outcomes: Record<string, number>;
  /** Mutated tokens by the kind of the mutation. */
  mutations: Record<string, number>;
  /** What went wrong. */
  failures: string[];
}

const PUBLIC_URL = 'https://claims.example.com';
const NOW = new Date('2026-03-02T10:00:00.000Z');
const HEAD_BYTES = 6;
const MAC_BYTES = 16;
/** A new link after this number of mutations. */
const MUTATIONS_OF_A_LINK = 50;
/** Tokens between two reports of the progress. */
const PROGRESS = 1_000_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const JUNK = [
  '=',
  '==',
  ' ',
  '\n',
  '\t',
  '.',
  '..',
  '!',
  '+',
  '/',
  '%',
  '%3D',
  '\0',
  'é',
  '\ufeff',
  '😀',
  '"',
];

/** Returns random bytes that depend on the seed only: the key stream of AES-CTR. */
function createRandom(seed: number) {
  const key = Buffer.alloc(16);
  key.writeDoubleBE(seed);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  const zeros = Buffer.alloc(2 ** 16);
  let pool = cipher.update(zeros);
  let used = 0;
  function bytes(length: number): Buffer {
    if (used + length > pool.length) {
      pool = cipher.update(zeros);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  }
  const below = (limit: number) => bytes(4).readUInt32BE() % limit;
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return { bytes, below, pick };
}

type Random = ReturnType<typeof createRandom>;

/** A link as a caller has it. */
interface FuzzedLink {
  accessCode: string;
  token: string;
}

/** Mutations: each returns a text that may also be the token itself. */
const MUTATIONS: Record<string, (random: Random, link: FuzzedLink, other: FuzzedLink) => string> = {
  'one bit': ({ below }, { token }) => {
    const bytes = Buffer.from(token, 'base64url');
    const index = below(bytes.length);
    bytes[index] = (bytes[index] ?? 0) ^ (1 << below(8));
    return bytes.toString('base64url');
  },
  'one byte': ({ below, bytes: random }, { token }) => {
    const bytes = Buffer.from(token, 'base64url');
    bytes[below(bytes.length)] = random(1)[0] ?? 0;
    return bytes.toString('base64url');
  },
  'one character': ({ below, pick }, { token }) => {
    const index = below(token.length);
    return token.slice(0, index) + pick([...ALPHABET]) + token.slice(index + 1);
  },
  'the last character': ({ pick }, { token }) => token.slice(0, -1) + pick([...ALPHABET]),
  'junk inside': ({ below, pick }, { token }) => {
    const index = below(token.length + 1);
    return token.slice(0, index) + pick(JUNK) + token.slice(index);
  },
  'a part removed': ({ below }, { token }) => {
    const index = below(token.length);
    return token.slice(0, index) + token.slice(index + 1 + below(8));
  },
  'a part repeated': ({ below }, { token }) => {
    const index = below(token.length);
    return token.slice(0, index) + token.slice(Math.max(0, index - 1 - below(8)));
  },
  'two characters exchanged': ({ below }, { token }) => {
    const characters = [...token];
    const [one, two] = [below(token.length), below(token.length)];
    [characters[one], characters[two]] = [characters[two] ?? '', characters[one] ?? ''];
    return characters.join('');
  },
  'another case': ({ below }, { token }) => {
    const index = below(token.length);
    const character = token[index] ?? '';
    const flipped = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
    return token.slice(0, index) + flipped + token.slice(index + 1);
  },
  're-encoded': ({ pick }, { token }) => {
    const bytes = Buffer.from(token, 'base64url');
    return pick([
      bytes.toString('base64'),
      bytes.toString('hex'),
      bytes.toString('latin1'),
      Buffer.from(token).toString('base64url'),
      encodeURIComponent(bytes.toString('base64')),
      `${token}=`,
      token.toUpperCase(),
      [...token].reverse().join(''),
    ]);
  },
  'head of another link': (_, { token }, other) => splice(other.token, token),
  'MAC of another link': (_, { token }, other) => splice(token, other.token),
  'another MAC': ({ bytes }, { token }) =>
    Buffer.concat([headOf(token), bytes(MAC_BYTES)]).toString('base64url'),
  'another length of the MAC': ({ below }, { token }) =>
    Buffer.from(token, 'base64url')
      .subarray(0, -1 - below(MAC_BYTES))
      .toString('base64url'),
  'the token of another link': (_, __, other) => other.token,
  'both tokens': (_, { token }, other) => token + other.token,
};

const headOf = (token: string) => Buffer.from(token, 'base64url').subarray(0, -MAC_BYTES);

function splice(head: string, mac: string): string {
  const bytes = Buffer.from(mac, 'base64url').subarray(-MAC_BYTES);
  return Buffer.concat([headOf(head), bytes]).toString('base64url');
}

/** Returns a random token: any bytes, bytes in the form of a token, or the head of a real one with a random MAC. */
function randomToken({ bytes, below }: Random, { token }: FuzzedLink): string {
  const kind = below(4);
  if (kind === 0) return bytes(below(64)).toString('base64url');
  if (kind === 1) return Buffer.concat([headOf(token), bytes(MAC_BYTES)]).toString('base64url');
  const formed = Buffer.from(bytes(HEAD_BYTES + 4 + MAC_BYTES));
  formed[0] = 1;
  // An end that has not come.
  formed[1] = kind === 2 ? 0 : 1;
  formed.write('acme', HEAD_BYTES);
  return formed.toString('base64url');
}

export async function fuzzTokens(options: TokenFuzzOptions): Promise<TokenFuzzResult> {
  const random = createRandom(options.seed);
  const memory = createMemoryStorage({ clients: [{ clientId: 'acme' }, { clientId: 'other' }] });
  let calls = 0;
  let time = NOW;
  const storage = new Proxy(memory, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        calls++;
        return Reflect.apply(method, target, args);
      };
    },
  });
  const claimlink = createClaimlink({
    storage,
    signer: createLinkSigner({
      keys: [{ kid: 'k', algorithm: 'HS256', secret: Buffer.alloc(32, options.seed) }],
      issuer: PUBLIC_URL,
      format: 'compact',
    }),
    publicUrl: PUBLIC_URL,
    now: () => time,
  });

  async function createLink(clientId: string): Promise<FuzzedLink> {
    const { url } = await claimlink.createLink(clientId, {
      callbackUrl: 'https://app.example.com/done',
      config: { contact: { email: 'help@example.com', phone: '+44 20 7946 0000' }, currentUserId: 'user-1' },
    });
    const [, accessCode = '', token = ''] = /\/verify\/([^?]+)\?token=(.+)$/.exec(url) ?? [];
    return { accessCode, token };
  }

  const result: TokenFuzzResult = { outcomes: {}, mutations: {}, failures: [] };
  const { outcomes, failures, mutations } = result;
  async function outcomeOf(accessCode: string, token: string): Promise<string> {
    try {
      await claimlink.openLink(accessCode, token);
      return 'opened';
    } catch (error) {
      return isClaimlinkError(error) ? error.code : String(error);
    }
  }
  async function reject(accessCode: string, token: string): Promise<void> {
    calls = 0;
    const outcome = await outcomeOf(accessCode, token);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if ((outcome !== 'link_not_found' || calls > 0) && failures.length < 10)
      failures.push(`${JSON.stringify(token)}: ${outcome}, ${calls} storage calls`);
  }
  /** A link that does not open would make the fuzz pass for the wrong reason. */
  async function assertOpens({ accessCode, token }: FuzzedLink): Promise<void> {
    const outcome = await outcomeOf(accessCode, token);
    if (outcome !== 'opened') failures.push(`a genuine token: ${outcome}`);
  }

  const { stackTraceLimit } = Error;
  // Millions of rejections: a stack trace takes longer than a verification.
  Error.stackTraceLimit = 0;
  try {
    let [link, other] = [await createLink('acme'), await createLink('other')];
    await assertOpens(link);
    for (let sent = 1; sent <= options.random; sent++) {
      await reject(link.accessCode, randomToken(random, link));
      if (sent % PROGRESS === 0) options.onProgress?.(sent);
    }
    const names = Object.keys(MUTATIONS);
    for (let sent = 0; sent < options.mutated; ) {
      if (sent % MUTATIONS_OF_A_LINK === 0) {
        time = NOW;
        [link, other] = [other, await createLink(random.pick(['acme', 'other']))];
        await assertOpens(link);
      }
      const name = names[random.below(names.length)] ?? '';
      const token = MUTATIONS[name]?.(random, link, other) ?? '';
      // What mail programs add to the end of a link is cut off.
      if (withoutAddedEnd(token) === link.token) continue;
      // A mutation of a token that has ended is a forgery as well.
      time = random.below(4) === 0 ? new Date(NOW.getTime() + 86_400_000) : NOW;
      await reject(link.accessCode, token);
      mutations[name] = (mutations[name] ?? 0) + 1;
      sent++;
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return result;
}
