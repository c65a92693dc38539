/**
 * What a storage of your own shares with the built-in ones. The types of the port are in `claimlink`.
 *
 * @module claimlink/storage
 */

export { changedClient } from '../core/client-change.js';
export {
  decodeCursor,
  decodeLinkCursor,
  decodeSubmissionCursor,
  encodeCursor,
  encodeLinkCursor,
  encodeSubmissionCursor,
} from '../core/cursor.js';
export { dueMoment, noticeTime, toDeletedEvents, toLinkEvent } from '../core/life-events.js';
export { reduceConfig } from '../core/link-state.js';
export type { LinkLife, RecordedLife } from './memory-life.js';
export type { StoredLink } from './memory-links.js';
export type { RecordedEvent } from './memory-outbox.js';
export type { SubmissionOrder } from './memory-sessions.js';
