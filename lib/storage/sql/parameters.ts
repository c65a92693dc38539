// The parameters of statements: `$1`, `$2` and so on, in any order and more than once, for every SQL storage.
import type { Bind } from './conditions.js';
import type { Param } from './rows.js';

/** Begins the parameters of a statement. `bind` adds one and returns its placeholder. */
export type Collect = (...params: Param[]) => { params: Param[]; bind: Bind };

/**
 * Creates a function that collects parameters.
 * @param castOf Returns the cast of a value, where the database cannot infer its type. Default: none.
 */
export function createCollect(castOf: (value: Param) => string = () => ''): Collect {
  return (...params) => ({ params, bind: (value) => `$${params.push(value)}${castOf(value)}` });
}

/** A statement with `?` for each place of a parameter. */
export interface PlacedStatement {
  text: string;
  /** Returns the value of each place. */
  valuesOf<T>(params: readonly T[]): (T | undefined)[];
}

/** Expands `$n` to `?`, for a driver that has no numbers of parameters. */
export function toPlaces(text: string): PlacedStatement {
  const indexes = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1);
  return {
    text: text.replace(/\$\d+/g, '?'),
    valuesOf: (params) => indexes.map((index) => params[index]),
  };
}
