// Reads the faults of --fault: `route=createLink,status=503,times=2`.
import { InvalidArgumentError } from 'commander';
import { type Delay, FAULT_EFFECTS, type Fault, ROUTE_NAMES } from '../mock-server/control.js';
import { integer, readText } from './flags.js';

/** Members of a fault by their names in --fault. */
const MEMBERS = new Map<string, readonly [key: keyof Fault, read: (text: string) => unknown]>([
  ['client', ['clientId', readText]],
  ['user', ['userId', readText]],
  ['route', ['route', oneOf(ROUTE_NAMES)]],
  ['status', ['status', integer(200, 599)]],
  ['effect', ['effect', oneOf(Object.keys(FAULT_EFFECTS))]],
  ['delay', ['delayMs', readDelay]],
  ['times', ['times', integer(1, 1_000_000)]],
  ['rate', ['rate', readShare]],
]);

/** @throws InvalidArgumentError */
export function readFault(text: string): Fault {
  const fault: Fault = {};
  for (const part of text.split(',')) {
    const [name = '', ...rest] = part.split('=');
    const [key, read] = MEMBERS.get(name) ?? [];
    if (key === undefined || read === undefined || rest.length === 0)
      throw new InvalidArgumentError(
        `It must be name=value pairs, such as status=503; names: ${[...MEMBERS.keys()].join(', ')}.`,
      );
    try {
      Object.assign(fault, { [key]: read(rest.join('=')) });
    } catch (error) {
      throw error instanceof InvalidArgumentError
        ? new InvalidArgumentError(`${name}: ${error.message}`)
        : error;
    }
  }
  if (fault.status === undefined && fault.effect === undefined && fault.delayMs === undefined)
    throw new InvalidArgumentError('It needs status, effect or delay.');
  if (fault.status !== undefined && fault.effect !== undefined)
    throw new InvalidArgumentError('It cannot have both status and effect.');
  return fault;
}

/** Reads milliseconds or a range of them: 200, 100-800. */
export function readDelay(text: string): Delay {
  const [, least, most] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (least === undefined || Number(most ?? least) > 60_000 || Number(least) > Number(most ?? least))
    throw new InvalidArgumentError(
      'It must be milliseconds, 0 to 60000, or a range of them, such as 100-800.',
    );
  return most === undefined ? Number(least) : `${Number(least)}-${Number(most)}`;
}

function readShare(text: string): number {
  if (/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.05.');
}

function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`It must be one of: ${words.join(', ')}.`);
  };
}
