// What claimlink adds to the options of commander: variables, readers of values, and errors by the name of a flag.
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isClaimlinkError } from '../lib/core/errors.js';
import { firstMistake, MAX_ALIASES, parseYamlText, repeatedKey } from '../mock-server/scenario/data-text.js';
import { decodeText } from '../mock-server/scenario/text-file.js';
import { parseMoment } from '../mock-server/schemas/moment.js';

/** A mistake in how the program was called: one sentence for each problem, exit code 2. */
export class UsageError extends Error {}

/** An error of code of the host: one sentence, exit code 1. */
export class HostError extends Error {}

/** An option of commander. Its value may have another name than the flag. */
export class Flag extends Option {
  #key: string | undefined;

  /** @param read reads the value of a flag that has one */
  constructor(
    form: string,
    description: string,
    read: (text: string, previous: never) => unknown = readText,
  ) {
    super(form, description);
    if (this.required || this.optional) this.argParser(read as (text: string) => unknown);
  }

  /** Stores the value by this name. */
  as(key: string): this {
    this.#key = key;
    return this;
  }

  override attributeName(): string {
    return this.#key ?? super.attributeName();
  }

  /** Reads the value from a variable if the flag is not set: CLAIMLINK_PORT for --port. */
  withVariable(): this {
    return this.env(`CLAIMLINK_${this.name().toUpperCase().replaceAll('-', '_')}`);
  }
}

/** Reads a text that is not empty. `--host --port 0`: commander takes the next flag for the value. */
export function readText(text: string): string {
  if (text === '' || text.startsWith('--')) throw new InvalidArgumentError('It needs a value.');
  return text;
}

/** Reads the file with JSON, or with YAML by its name, that a flag names. @throws UsageError */
export async function readDataFile(flag: string, path: string): Promise<unknown> {
  try {
    const text = decodeText(readFileSync(path));
    const document = /\.ya?ml$/i.test(path) ? await parseYamlText(text) : undefined;
    const value: unknown = document ? undefined : JSON.parse(text);
    const mistake = document ? await firstMistake(document) : repeatedKey(text);
    if (mistake === undefined) return document ? document.toJS({ maxAliasCount: MAX_ALIASES }) : value;
    throw new Error(`line ${text.slice(0, mistake.offset).split('\n').length}: ${mistake.detail}`);
  } catch (error) {
    const detail = (error as Error).message.replace(/\.$/, '');
    throw new UsageError(`${flag} must name a file with JSON or YAML: ${detail}.`);
  }
}

/** Reads a whole number. */
export function readInteger(text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Reads a date, or a date and time, in ISO 8601. */
export function readMoment(text: string): Date {
  const moment = parseMoment(text.includes('T') ? text : `${text}T00:00`);
  if (moment !== undefined) return moment;
  throw new InvalidArgumentError('It must be a date or a moment, UTC: 2026-01-01, 2026-01-01T12:00.');
}

/** Returns a reader of a flag that may be repeated. With a separator, one text may have several values. */
export function listOf<T>(
  read: (text: string) => T,
  separator?: ',' | ';',
): (text: string, previous?: T[]) => T[] {
  return (text, previous = []) => {
    const texts = separator === undefined ? [text] : text.split(separator).map((part) => part.trim());
    return [...previous, ...texts.map(read)];
  };
}

/** Returns these values of flags, without those that are not set. */
export function pick<F extends object, K extends keyof F>(flags: F, ...keys: K[]): Pick<F, K> {
  return Object.fromEntries(keys.filter((key) => key in flags).map((key) => [key, flags[key]])) as Pick<F, K>;
}

/** Returns what the caller wrote to set a value: `--port`, `CLAIMLINK_PORT`, `The argument client-id`. */
export function nameOf(command: Command, key: string): string {
  return (
    flagNameOf(command, key) ??
    `The argument ${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  );
}

function flagNameOf(command: Command, key: string): string | undefined {
  const option = command.options.find((candidate) => candidate.attributeName() === key);
  return command.getOptionValueSource(key) === 'env' ? option?.envVar : option?.long;
}

/** Rejects the value of a flag after commander has read all flags, with the message of commander, without the value. */
export function rejectValue(command: Command, key: string, detail: string): never {
  const option = command.options.find((candidate) => candidate.attributeName() === key);
  const source = command.getOptionValueSource(key) === 'env' ? ` from env '${option?.envVar}'` : '';
  const code = 'commander.invalidArgument';
  command.error(`error: option '${option?.flags}'${source} is invalid. ${detail}`, { code });
}

/** Returns a UsageError with a sentence for each problem of options and parameters; any other error unchanged. */
export function toUsageError(error: unknown, command: Command): unknown {
  if (!isClaimlinkError(error)) return error;
  if (error.code === 'client_not_found') {
    const clientId: string = command.opts()['clientId'] ?? command.args[0];
    return new UsageError(`There is no client ${clientId}. claimlink clients list shows all.`);
  }
  if (!['options_invalid', 'request_invalid', 'uri_too_long'].includes(error.code)) return error;
  const sentences = (error.problems ?? []).map(({ pointer = '', parameter, detail }) => {
    const path = parameter?.split('.') ?? pointer.split('/').slice(1);
    // The number of a flag that is repeated says nothing.
    const [key = '', ...members] = path.filter((part, index) => index !== 1 || !/^\d+$/.test(part));
    const member = members.join('.');
    // The members of a brand have flags of their own.
    const name = flagNameOf(command, member) ?? `${nameOf(command, key)}${member && `: ${member}`}`;
    return `${name} ${detail.replace(/\.$/, '')}.`;
  });
  if (sentences.length > 0) return new UsageError(sentences.join('\n'));
  return new UsageError(
    error.message.replace(/^The parameter (\w+)/, (_, key: string) => nameOf(command, key)),
  );
}
