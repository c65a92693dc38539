// The flag --output: a document goes to a file in UTF-8. A redirection of Windows PowerShell 5.1 writes UTF-16.
import { writeFile } from 'node:fs/promises';
import { fileProblem } from '../mock-server/scenario/file-problem.js';
import type { CommandIo } from './command-io.js';
import { Flag, UsageError } from './flags.js';

export interface OutputFlags {
  output?: string;
}

export const outputFlag = () => new Flag('--output <file>', 'write to this new file instead of stdout');

/** Writes a document to the file of --output, or to stdout. @throws UsageError if the file exists or cannot be written */
export async function writeDocument(io: CommandIo, { output }: OutputFlags, text: string): Promise<void> {
  if (output === undefined) {
    io.stdout.write(text);
    return;
  }
  try {
    // The file may be a scenario that the caller has edited.
    await writeFile(output, text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`--output ${output} ${fileProblem(error)}.`);
  }
  io.stdout.write(`Wrote ${output}.\n`);
}
