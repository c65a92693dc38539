// claimlink users: exports and deletes the data of a user.
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { errorCode } from '../mock-server/scenario/file-problem.js';
import type { CommandIo } from './command-io.js';
import { withAdministration } from './database.js';
import { readText, UsageError } from './flags.js';
import { addGroup, requiredClient, userFlag } from './service-commands.js';

interface UserFlags {
  clientId: string;
  userId: string;
  out?: string;
  yes?: boolean;
}

export function addUsers(program: Command, io: CommandIo): Command {
  const users = addGroup(program, 'users', 'export and delete the data of a user');

  users
    .command('export')
    .description('write the sessions and links of a user as JSON')
    .addOption(requiredClient())
    .addOption(userFlag().makeOptionMandatory())
    .option('--out <file>', 'new file for the JSON (default: stdout)', readText)
    .addHelpText('after', '\nExample: claimlink users export --client acme --user 42 --out user-42.json')
    .action(async ({ clientId, userId, out }: UserFlags, command: Command) => {
      const exported = await withAdministration(command, ({ exportUser }) => exportUser(clientId, userId));
      const json = `${JSON.stringify(exported, null, 2)}\n`;
      if (out === undefined) io.stdout.write(json);
      else await writePrivateFile(out, json);
      const { sessions, links } = exported;
      io.stderr.write(`Exported: sessions ${sessions.length}, links ${links.length}.\n`);
    });

  users
    .command('delete')
    .description('delete the sessions, links and undelivered events of a user')
    .addOption(requiredClient())
    .addOption(userFlag().makeOptionMandatory())
    .option('--yes', 'delete without asking back')
    .action(async ({ clientId, userId, yes }: UserFlags, command: Command) => {
      if (!yes)
        throw new UsageError(
          `This deletes the sessions, links and undelivered events of the user ${userId} of ${clientId}. Repeat it with --yes.`,
        );
      const deleted = await withAdministration(command, ({ deleteUser }) => deleteUser(clientId, userId));
      const { sessions, links, events } = deleted;
      io.stdout.write(`Deleted: sessions ${sessions}, links ${links}, undelivered events ${events}.\n`);
    });
  return users;
}

/** Writes a new file that only its owner may read. Others may be able to read a file that exists. @throws UsageError */
async function writePrivateFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = errorCode(error);
    const reason = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`;
    throw new UsageError(`--out: ${file} ${reason}.`);
  }
}
