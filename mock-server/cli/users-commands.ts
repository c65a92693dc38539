// claimlink users: exports and deletes the data of a user.
import { writeFile } from 'node:fs/promises';
import { createRecords, type Records } from '../../lib/core/records.js';
import { isClaimlinkError } from '../../lib/index.js';
import { errorCode } from '../scenario/file-problem.js';
import { printable } from '../terminal.js';
import { unknownClient } from './clients-commands.js';
import type { CommandGroup } from './command-io.js';
import { type DatabaseFlags, withStorage } from './database.js';
import type { USER_FLAGS } from './database-flags.js';
import { UsageError } from './flags.js';

const PAGE_SIZE = 1000;

export const users: CommandGroup<typeof USER_FLAGS> = {
  async export({ flags, io }) {
    const { out } = flags.values;
    const [clientId, userId] = [flags.need('client'), flags.need('user')];
    const exported = await withRecords(flags, clientId, (records) => records.exportUser(clientId, userId));
    const json = `${JSON.stringify(exported, null, 2)}\n`;
    if (out === undefined) io.stdout.write(json);
    else await writeNewFile(out, json);
    const { sessions, links } = exported;
    io.stderr.write(`Exported: sessions ${sessions.length}, links ${links.length}.\n`);
  },

  async delete({ flags, io }) {
    const [clientId, userId] = [flags.need('client'), flags.need('user')];
    if (!flags.values.yes)
      throw new UsageError(
        `This deletes the sessions, links and undelivered events of the user ${printable(userId)} of ${printable(clientId)}. Repeat it with --yes.`,
      );
    const deleted = await withRecords(flags, clientId, (records) => records.deleteUser(clientId, userId));
    const { sessions, links, events } = deleted;
    io.stdout.write(`Deleted: sessions ${sessions}, links ${links}, undelivered events ${events}.\n`);
  },
};

/** Runs a use case on the database. @throws UsageError for a client that does not exist and for an invalid user id */
async function withRecords<T>(
  flags: DatabaseFlags,
  clientId: string,
  use: (records: Records) => Promise<T>,
): Promise<T> {
  try {
    const options = { now: () => new Date(), maxPageSize: PAGE_SIZE };
    return await withStorage(flags, (storage) => use(createRecords(options, storage)));
  } catch (error) {
    if (!isClaimlinkError(error)) throw error;
    if (error.code === 'client_not_found') throw unknownClient(clientId);
    if (error.code !== 'request_invalid' && error.code !== 'uri_too_long') throw error;
    const name = error.message.startsWith('The parameter clientId') ? '--client' : '--user';
    throw new UsageError(error.message.replace(/^The parameter \w+/, name));
  }
}

/** Writes a file that only its owner may read. Never replaces a file, whose readers may be others. */
async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw new UsageError(`--out: ${printable(file)} exists already.`);
    throw new UsageError(`--out: ${printable(file)} cannot be written (${code}).`);
  }
}
