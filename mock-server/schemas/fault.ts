// JSON Schema of a fault: for the control API, scenarios and options; and the routes and effects that a fault may have.
import { closed, idSchema, userIdSchema, wholeNumber } from './parts.js';

/** Routes of the service, and its webhook: the operationIds of its OpenAPI document. */
export const ROUTE_NAMES = [
  'listSessions',
  'createLink',
  'openLink',
  'submitClaim',
  'listPhotos',
  'sendPhoto',
  'readPhoto',
  'claimSubmitted',
] as const;
/** A route of the service, or `claimSubmitted`: an attempt to send the webhook. */
export type RouteName = (typeof ROUTE_NAMES)[number];

/** What a fault does to the response, apart from `status`, in the words of the dashboard: "The mock will …". */
export const FAULT_EFFECTS = {
  'reset-before': 'reset the connection before any effect',
  'reset-after': 'reset the connection after the effect',
  truncate: 'end the response inside its body',
  malformed: 'send a malformed body',
  slow: 'send the body slowly',
  'cut-upload': 'cut the connection inside the request body',
  pass: 'let the request pass',
} as const;
/**
 * Effect of a fault, apart from `status`: the connection is reset before or after the request takes effect; or the body
 * ends in its middle, does not have the announced format, or arrives with `bytesPerSecond`; or the connection is cut when
 * `afterBytes` of the request body have arrived; or the request passes.
 */
export type FaultEffect = keyof typeof FAULT_EFFECTS;

export const MAX_DELAY_MS = 60_000;

/** JSON Schema of a `Delay`. The format `delay` is in formats.ts. */
export const delaySchema = {
  type: ['integer', 'string'],
  minimum: 0,
  maximum: MAX_DELAY_MS,
  pattern: '^\\d{1,5}-\\d{1,5}$',
  format: 'delay',
  description: "Milliseconds, 0 to 60000, or a range such as '100-800'",
} as const;

/**
 * Headers that browsers keep for the whole origin, that lead to another document, or that frame the message on a connection
 * which callers may share.
 */
const FOREIGN_HEADERS = new Set([
  'accept-ch',
  'accept-ch-lifetime',
  'alt-svc',
  'clear-site-data',
  'expect-ct',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'secure-session-registration',
  'sec-session-registration',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'strict-transport-security',
  'use-as-dictionary',
  // It leads elsewhere as a `Location` does, from any status.
  'refresh',
  // A proxy follows these.
  'x-accel-redirect',
  'x-lighttpd-send-file',
  'x-litespeed-location',
  'x-reproxy-file',
  'x-reproxy-url',
  'x-sendfile',
  'x-sendfile2',
  // A cache acts on these, also for other responses.
  'cache-group-invalidation',
  'surrogate-control',
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Returns whether a fault may set a header: one that acts on its response alone. */
export function isFaultHeader(name: string): boolean {
  return !FOREIGN_HEADERS.has(name.toLowerCase());
}

/**
 * Returns whether a `Location` does not lead to the control API, which a page would call with the credentials of its reader.
 * A proxy may serve the mock by another scheme, and below a path.
 */
export function isFaultLocation(location: string): boolean {
  return ['http', 'https'].every((scheme) => {
    try {
      const { pathname } = new URL(location, `${scheme}://mock.example/verify/code`);
      return !decodeURIComponent(pathname).split('/').includes('__mock');
    } catch {
      return false;
    }
  });
}

const headerValue = {
  type: 'string',
  maxLength: 4096,
  pattern: '^[\\t -~\\u0080-\\u00ff]*$',
  description: 'The value of a header, without line breaks',
} as const;

const members = {
  userId: { ...userIdSchema, description: 'Only requests of this user' },
  route: { enum: ROUTE_NAMES },
  status: wholeNumber(200, 599),
  headers: {
    type: 'object',
    maxProperties: 50,
    propertyNames: {
      pattern: "^[\\w!#$%&'*+.^`|~-]{1,100}$",
      format: 'fault-header',
      description:
        'The name of a header that acts on the response alone, not on the origin or the connection as Set-Cookie and Content-Length do',
    },
    patternProperties: {
      '^[Ll][Oo][Cc][Aa][Tt][Ii][Oo][Nn]$': {
        ...headerValue,
        format: 'fault-location',
        description: 'A URL without /__mock in its path',
      },
    },
    additionalProperties: headerValue,
  },
  body: { description: 'Body of the response. An object or array is sent as JSON' },
  effect: { enum: Object.keys(FAULT_EFFECTS) },
  bytesPerSecond: wholeNumber(1, 10_000_000),
  afterBytes: wholeNumber(0, 52_428_800),
  delayMs: delaySchema,
  times: wholeNumber(1, 1_000_000),
  rate: { type: 'number', minimum: 0, maximum: 1 },
} as const;

const OUTCOMES = ['status', 'effect', 'body', 'delayMs'];
const required = (name: string) => ({ required: [name] });
const has = (name: string, value: string) => ({ required: [name], properties: { [name]: { const: value } } });
const isSlow = has('effect', 'slow');
const isCut = has('effect', 'cut-upload');

/** The rules across members. A message has the description of the broken one. */
const rules = [
  {
    not: { ...required('effect'), anyOf: ['status', 'body'].map(required) },
    description: 'A fault with an effect, or with status or body, not both',
  },
  {
    not: { ...required('bytesPerSecond'), not: isSlow },
    description: 'A fault with the effect slow beside bytesPerSecond',
  },
  {
    not: { ...required('afterBytes'), not: isCut },
    description: 'A fault with the effect cut-upload beside afterBytes',
  },
  {
    not: { anyOf: [isSlow, isCut], ...has('route', 'claimSubmitted') },
    description: 'A fault with another effect than slow and cut-upload for claimSubmitted',
  },
];

/** Returns the schema of a fault that has at least one of these members. */
function faultWith(properties: Readonly<Record<string, object>>, outcomes: readonly string[]) {
  const description = `A fault with at least one of: ${outcomes.join(', ')}`;
  return { ...closed(properties), allOf: [{ anyOf: outcomes.map(required), description }, ...rules] };
}

/** JSON Schema of a fault of one client, as scenarios have it. */
export const clientFaultSchema = faultWith(members, OUTCOMES);

const sharedMembers = {
  clientId: { ...idSchema, description: 'Only requests of this client' },
  ...members,
  id: { type: 'string', description: 'Ignored: a logged fault can be set again' },
};

export const faultSchema = faultWith(sharedMembers, OUTCOMES);

/** JSON Schema of one fault, or of `faults` beside the client of them all. */
export const nextFaultsSchema = faultWith(
  { ...sharedMembers, faults: { type: 'array', minItems: 1, maxItems: 100, items: faultSchema } },
  [...OUTCOMES, 'faults'],
);
