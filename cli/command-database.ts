// What the commands need of PostgreSQL, SQLite and a storage of the host.
import type { HostStorage } from '../lib/core/guarded-storage.js';
import type { PhotoStore } from '../lib/core/photo-store.js';

/** A database of claimlink or a storage of the host, as the commands use it. It connects with the first call. */
export interface CommandDatabase {
  /** Returns the SQL of all migrations, and needs no connection. */
  migrationSql(): string;
  /** Creates or updates the tables. Resolves to the versions that it applied, and to the version of this code. */
  migrate(): Promise<{ applied: readonly number[]; version: number }>;
  /** Returns the storage, after a check that its tables fit. */
  openStorage(): Promise<HostStorage>;
  /** Returns the store of photos that a module of the host exports. */
  openPhotos?(): Promise<PhotoStore>;
  close(): Promise<void>;
}
