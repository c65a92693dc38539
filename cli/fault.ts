// Reads the faults of --fault: `route=createLink,status=503,times=2`. The mock checks their values.
import { InvalidArgumentError } from 'commander';
import { nearestName } from '../lib/core/assert-options.js';
import type { Delay, Fault } from '../mock-server/control/types.js';
import { readInteger, readText } from './flags.js';

/** Reads the members of a fault that --fault takes. */
const READERS = new Map<keyof Fault, (text: string) => unknown>([
  ['clientId', readText],
  ['userId', readText],
  ['route', readText],
  ['status', readInteger],
  ['effect', readText],
  ['bytesPerSecond', readInteger],
  ['afterBytes', readInteger],
  ['delayMs', readDelay],
  ['times', readInteger],
  ['rate', (text) => Number(readText(text))],
]);

/** @throws InvalidArgumentError */
export function readFault(text: string): Fault {
  const members = text.split(',').map((part) => {
    const [name = '', ...rest] = part.split('=');
    const read = READERS.get(name as keyof Fault);
    if (read === undefined || rest.length === 0) throw new InvalidArgumentError(advice(name));
    return [name, read(rest.join('='))];
  });
  return Object.fromEntries(members);
}

function advice(name: string): string {
  const names = [...READERS.keys()];
  const nearest = nearestName(name, names);
  if (name === '' || nearest === undefined || nearest === name)
    return `It must be name=value pairs, such as status=503; names: ${names.join(', ')}.`;
  return `It has an unknown name: did you mean ${nearest}?`;
}

/** Reads milliseconds or a range of them: 200, 100-800. */
export function readDelay(text: string): Delay {
  return /^\d+$/.test(text) ? Number(text) : (readText(text) as Delay);
}
