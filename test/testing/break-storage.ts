// What broken storages are made of: replacements of methods of a working storage.
import type { AdminStorage, LifeStorage, OutboxStorage, RecordStorage } from '../../lib/core/storage.js';

type CompleteStorage = AdminStorage & OutboxStorage & RecordStorage & LifeStorage;
export type Method = Exclude<keyof CompleteStorage, 'close'>;
export type Input<M extends Method> = Parameters<CompleteStorage[M]>;
export type Result<M extends Method> = Awaited<ReturnType<CompleteStorage[M]>>;

/** A storage that works, and returns at once. */
export type Working = { [M in Method]: (...input: Input<M>) => Result<M> };

/** Returns replacements for some methods of a working storage. */
export type Replace = (working: Working) => Partial<CompleteStorage>;

/** The replacements, and the name of the case that must detect them. */
export type Defect = readonly [replace: Replace, detectedBy: RegExp];

/** Calls the method with another input. */
export function changeInput<M extends Method>(
  method: M,
  change: (input: Input<M>[0], working: Working) => Input<M>[0],
): Replace {
  return (working) => {
    const call = working[method] as (...input: unknown[]) => unknown;
    return { [method]: (input: Input<M>[0], ...rest: unknown[]) => call(change(input, working), ...rest) };
  };
}

/** Returns another result of the method. */
export function changeResult<M extends Method>(
  method: M,
  change: (result: Result<M>, working: Working, ...input: Input<M>) => Result<M>,
): Replace {
  return (working) => {
    const call = working[method] as (...input: Input<M>) => Result<M>;
    return { [method]: (...input: Input<M>) => change(call(...input), working, ...input) };
  };
}

export function shift(date: Date, milliseconds: number): Date {
  return new Date(date.getTime() + milliseconds);
}
