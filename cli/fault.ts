// Reads the faults of --fault: `route=createLink,status=503,times=2`. The mock checks their values.
import { InvalidArgumentError } from 'commander';
import type { Delay, Fault } from '../mock-server/control.js';
import { readInteger, readText } from './flags.js';

/** Members of a fault by their names in --fault. */
const MEMBERS = new Map<string, readonly [key: keyof Fault, read: (text: string) => unknown]>([
  ['client', ['clientId', readText]],
  ['user', ['userId', readText]],
  ['route', ['route', readText]],
  ['status', ['status', readInteger]],
  ['effect', ['effect', readText]],
  ['bytes-per-second', ['bytesPerSecond', readInteger]],
  ['delay', ['delayMs', readDelay]],
  ['times', ['times', readInteger]],
  ['rate', ['rate', (text) => Number(readText(text))]],
]);

/** @throws InvalidArgumentError */
export function readFault(text: string): Fault {
  const members = text.split(',').map((part) => {
    const [name = '', ...rest] = part.split('=');
    const [key, read] = MEMBERS.get(name) ?? [];
    if (key === undefined || read === undefined || rest.length === 0)
      throw new InvalidArgumentError(
        `It must be name=value pairs, such as status=503; names: ${[...MEMBERS.keys()].join(', ')}.`,
      );
    return [key, read(rest.join('='))];
  });
  return Object.fromEntries(members);
}

/** Reads milliseconds or a range of them: 200, 100-800. */
export function readDelay(text: string): Delay {
  return /^\d+$/.test(text) ? Number(text) : (readText(text) as Delay);
}
