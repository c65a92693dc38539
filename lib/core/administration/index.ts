// The administration: the jobs of an operator, for the service of a host and for the command line. No route reaches them.
import { type ClientAdministration, createClientAdministration } from './clients.js';
import type { AdministrationContext } from './context.js';
import { createEventAdministration, type EventAdministration } from './events.js';
import { createKeyAdministration, type KeyAdministration } from './keys.js';
import { createLinkAdministration, type LinkAdministration } from './links.js';
import { createRetention, type Retention } from './retention.js';
import { createSessionAdministration, type SessionAdministration } from './sessions.js';
import { createUserAdministration, type UserAdministration } from './users.js';

export type * from './clients.js';
export type * from './events.js';
export type * from './keys.js';
export type * from './links.js';
export type * from './retention.js';
export type * from './sessions.js';
export type * from './users.js';

/** The jobs of an operator. */
export interface Administration
  extends ClientAdministration,
    KeyAdministration,
    SessionAdministration,
    LinkAdministration,
    UserAdministration,
    EventAdministration,
    Retention {}

/** Creates the administration. */
export function createAdministration(context: AdministrationContext): Administration {
  return {
    ...createClientAdministration(context),
    ...createKeyAdministration(context),
    ...createSessionAdministration(context),
    ...createLinkAdministration(context),
    ...createUserAdministration(context),
    ...createEventAdministration(context),
    ...createRetention(context),
  };
}
