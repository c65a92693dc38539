// Scenarios: a hand-written state of a mock. The types and their JSON Schema.
import { linkRequestSchema } from '../../lib/core/schemas.js';
import type { WidgetConfig } from '../../lib/index.js';
import { type Fault, LINK_STATES, type LinkState, type MockClientOptions } from '../control.js';
import { clientFaultSchema } from '../fault-schema.js';
import { closed, idSchema } from '../schema-parts.js';
import { momentSchema, type ScenarioSession, scenarioSessionSchema } from './session.js';

export type { LaterChange, MockSession, ScenarioSession } from './session.js';

/** A user that the client lists by name. Other users have seeded sessions as well. */
export interface ScenarioUser {
  userId: string;
  /** All sessions of the user. Absent: seeded sessions. */
  sessions?: readonly ScenarioSession[];
}

/** A link that exists from the start. The seed gives what is missing. */
export interface ScenarioLink {
  userId: string;
  /** Default: created. A submitted link adds a session to its user. */
  state?: LinkState;
  config?: Omit<Partial<WidgetConfig>, 'contact' | 'currentUserId'> & {
    contact?: Partial<WidgetConfig['contact']>;
  };
  callbackUrl?: string;
  callbackOnSubmit?: boolean;
  /**
   * Session of a submitted link: one of its user's `sessions`; a new one if the user has none of these. Default: a new one
   * with a seeded reference.
   */
  reference?: string;
  /**
   * Moments, UTC. Default: up to an hour before the clock, so that they fit the state. A link with `createdAt` may have a
   * `callbackUrl` that `callbackOrigins` no longer lists.
   */
  createdAt?: string;
  expiresAt?: string;
  openedAt?: string;
  submittedAt?: string;
  revokedAt?: string;
}

/** The clock of a client. */
export interface ScenarioClock {
  /** UTC, `YYYY-MM-DDTHH:MM`; seconds, milliseconds and a Z may follow. Default: the system clock. */
  now?: string;
  /** Default: false. */
  isFrozen?: boolean;
}

/** A client with its data. */
export interface ScenarioClient extends MockClientOptions {
  users?: readonly ScenarioUser[];
  links?: readonly ScenarioLink[];
  clock?: ScenarioClock;
  faults?: readonly Omit<Fault, 'clientId'>[];
}

/** The clients of a mock and their data. */
export interface Scenario {
  /** Tells editors where the schema is. */
  $schema?: string;
  clients: readonly ScenarioClient[];
  /** Faults of all clients. */
  faults?: readonly Omit<Fault, 'clientId'>[];
}

const setting = (description: string) => ({ type: 'string', description }) as const;

/** The settings of a client. `assertClientSettings` checks their values. */
export const settingMembers = {
  name: { ...idSchema, description: 'Shown on the standalone pages' },
  callbackOrigins: {
    type: 'array',
    maxItems: 100,
    items: {
      ...idSchema,
      description: 'An origin, such as https://app.example.com, or a custom scheme, such as myapp:',
    },
    description: 'Where links may send users back to',
  },
  locale: setting('Language of the standalone pages, such as de'),
  branding: {
    ...closed({
      displayName: setting('Shown instead of the name of the client'),
      logoUrl: setting('Image on the standalone pages: https'),
      primaryColor: setting('A colour with a contrast of 4.5:1 against white, such as #14508c'),
      supportUrl: setting('Page with help: https'),
      imprintUrl: setting('Legal notice: https'),
    }),
    description: 'Brand on the standalone pages',
  },
  frameAncestors: {
    type: 'array',
    maxItems: 100,
    items: setting('An origin, such as https://app.example.com'),
    description: 'Origins that may show the standalone pages in a frame',
  },
  settings: {
    ...closed({
      redirectAfterSeconds: {
        type: ['number', 'string'],
        description:
          'Seconds after which the success page goes on to the callback by itself, 5 to 300, or never',
      },
    }),
    description: 'Further settings of the standalone pages',
  },
} as const;

/** Members of a client that options, scenarios and the control API share. */
export const clientMembers = {
  clientId: { ...idSchema, description: 'An id that is not "verify" and does not start with "__"' },
  apiKey: {
    type: 'string',
    pattern: '^[!-~]{1,200}$',
    description: 'A key of 1 to 200 printable ASCII characters without spaces',
  },
  controlToken: {
    type: 'string',
    pattern: '^[!-~]{16,200}$',
    description: 'A text of 16 to 200 printable ASCII characters without spaces',
  },
  ...settingMembers,
} as const;

const { currentUserId: _, contact, ...configMembers } = linkRequestSchema.properties.config.properties;
const { callbackUrl } = linkRequestSchema.properties;

const user = {
  userId: idSchema,
  sessions: {
    type: 'array',
    items: scenarioSessionSchema,
    description: 'All sessions of this user. Without this member the user has seeded sessions',
  },
} as const;

const link = {
  userId: idSchema,
  state: { enum: LINK_STATES },
  config: closed({ contact: { type: 'object', properties: contact.properties }, ...configMembers }),
  callbackUrl,
  callbackOnSubmit: { type: 'boolean' },
  reference: idSchema,
  createdAt: momentSchema,
  expiresAt: momentSchema,
  openedAt: momentSchema,
  submittedAt: momentSchema,
  revokedAt: momentSchema,
} as const;

const faults = { type: 'array', maxItems: 100, items: clientFaultSchema } as const;

const client = {
  ...clientMembers,
  users: { type: 'array', maxItems: 100_000, items: closed(user, ['userId']) },
  links: { type: 'array', maxItems: 10_000, items: closed(link, ['userId']) },
  clock: closed({ now: momentSchema, isFrozen: { type: 'boolean' } }),
  faults,
} as const;

/** JSON Schema (draft-07) of a `Scenario`. Formats other than `date` are claimlink's own; editors ignore them. */
export const scenarioSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://claimlink.example/schemas/scenario.json',
  title: 'claimlink scenario',
  ...closed(
    {
      $schema: { type: 'string', description: 'Tells editors where this schema is' },
      clients: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        items: closed(client, ['clientId', 'apiKey']),
      },
      faults,
    },
    ['clients'],
  ),
};
