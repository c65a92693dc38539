// The use cases of sessions: list, find, add and change them.
import { assertDefined, assertOptions } from '../assert-options.js';
import { findClient, listSessions } from '../service.js';
import type { ClientSessionPage } from '../storage.js';
import type { PageRequest, Session, SessionPage, SessionRecord } from '../types.js';
import {
  assertDate,
  assertId,
  assertObject,
  parseId,
  parsePaging,
  parseSession,
  parseStatus,
} from '../validators.js';
import { type AdministrationContext, byClient, recordsOf, searchOf, storageWith } from './context.js';

/** Selects sessions of a client in the order of their submission. */
export interface ClientSessionFilter {
  /** Omits sessions that were submitted before this time. */
  since?: Date;
  /** 1 .. `maxPageSize`; default `maxPageSize`. */
  limit?: number;
  /** The `nextCursor` of the previous page or of an earlier call. */
  cursor?: string;
}

/** The members of a session that a host may change. */
export interface SessionChanges {
  /** 1 to 100 UTF-16 code units without control characters. */
  status?: string;
  /** 1 to 100 UTF-16 code units without control characters, but not `.` or `..`. */
  camsReference?: string;
}

/**
 * Lists, finds, adds and changes sessions. Every method throws `request_invalid` or `uri_too_long` for invalid arguments,
 * and `options_invalid` for a storage that lacks its interface: `listSessions` needs a `Storage`, `addSession` an
 * `AdminStorage`, `findSessions` a `SearchStorage`, and the others a `RecordStorage`.
 */
export interface SessionAdministration {
  /**
   * Returns one page of a user's sessions. Contract: GET /:clientId/sessions/:userId.
   * @throws `client_not_found`; `request_invalid` or `uri_too_long` for an invalid id, limit, cursor or status.
   */
  listSessions(clientId: string, userId: string, page?: PageRequest): Promise<SessionPage>;
  /**
   * Returns sessions of all users of this client in the order of their submission, for reconciliation. A reader that
   * follows `nextCursor` gets each session once, also while others are submitted. Keep the cursor to go on later.
   * @throws `client_not_found`.
   */
  listClientSessions(clientId: string, filter?: ClientSessionFilter): Promise<ClientSessionPage>;
  /**
   * Returns a session of this client, by its reference, with its user. Returns undefined if there is none.
   * @throws `client_not_found`.
   */
  findSession(clientId: string, reference: string): Promise<SessionRecord | undefined>;
  /** Returns the sessions of all clients with this reference, by client id. A reference is unique within its client only. */
  findSessions(reference: string): Promise<readonly SessionRecord[]>;
  /**
   * Adds a session that claimlink did not create. Its members have the types of `SessionRecord` and the maximum lengths of
   * a claim. Its texts may be empty; its ids, its references and its status may not. Other members are not stored.
   * @throws `client_not_found`; `already_exists` for a reference that the client has already; `request_invalid` with the
   * problems of the session.
   */
  addSession(session: SessionRecord): Promise<void>;
  /**
   * Changes the status or the CAMS reference of a session and returns it. Returns undefined if there is none.
   * @throws `client_not_found`.
   */
  updateSession(clientId: string, reference: string, changes: SessionChanges): Promise<Session | undefined>;
}

/** Creates the use cases of sessions. */
export function createSessionAdministration(context: AdministrationContext): SessionAdministration {
  const { storage, maxPageSize } = context;
  return {
    async listSessions(clientId, userId, page = {}) {
      const client = await findClient(storage, clientId);
      const user = parseId(userId, 'userId');
      assertOptions(page, ['limit', 'cursor', 'status']);
      return listSessions(context, client, user, page);
    },

    async listClientSessions(clientId, filter = {}) {
      assertOptions(filter, ['since', 'limit', 'cursor']);
      const { since } = filter;
      if (since !== undefined) assertDate(since, 'since');
      const paging = parsePaging(filter, maxPageSize);
      const records = await recordsOf(context, clientId);
      return records.listClientSessions({ clientId, ...(since && { since }), ...paging });
    },

    async findSession(clientId, reference) {
      const records = await recordsOf(context, clientId);
      return records.findSession({ clientId, reference: parseId(reference, 'reference') });
    },

    async findSessions(reference) {
      const search = searchOf(context);
      return byClient(await search.findSessions({ reference: parseId(reference, 'reference') }));
    },

    async addSession(session) {
      await storageWith(context, 'AdminStorage').insertSession(parseSession(session));
    },

    async updateSession(clientId, reference, changes) {
      assertObject(changes, 'changes');
      assertOptions(changes, ['status', 'camsReference'], { parameter: '' });
      assertDefined(changes, 'status', 'camsReference');
      const { status, camsReference } = changes;
      if (camsReference !== undefined) assertId(camsReference, 'camsReference');
      const records = await recordsOf(context, clientId);
      return records.updateSession({
        clientId,
        reference: parseId(reference, 'reference'),
        ...(status !== undefined && { status: parseStatus(status) }),
        ...(camsReference !== undefined && { camsReference }),
      });
    },
  };
}
