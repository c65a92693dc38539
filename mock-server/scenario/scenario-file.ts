// Loads a scenario from a JSON or YAML file, or says what is wrong with it, with the line of each problem.
import { extname } from 'node:path';
import type { ErrorDetail } from '../../lib/index.js';
import { readTextFile, refusal, refuseText, refuseValue } from '../world/world-file-text.js';
import { type ReadText, readJsonText } from './json-text.js';
import type { Scenario } from './scenario.js';
import { checkScenario } from './scenario-check.js';
import { readYamlText } from './yaml-text.js';

/** By the end of the file's name. */
const READERS: Readonly<Record<string, (text: string) => ReadText | Promise<ReadText>>> = {
  '.json': readJsonText,
  '.yaml': readYamlText,
  '.yml': readYamlText,
};

/**
 * Loads a scenario: `.json`, `.yaml` or `.yml`.
 * @throws `options_invalid` with a detail for each problem: `world.yaml:12:7 /clients/0/users/1/userId is required`.
 */
export async function loadScenario(path: string): Promise<Scenario> {
  const reader = READERS[extname(path).toLowerCase()];
  if (reader === undefined)
    throw refusal('scenario', [`${path} must be a file whose name ends in .json, .yaml or .yml`]);
  const text = await readTextFile('scenario', path);
  if (text === undefined) throw refusal('scenario', [`${path} is not there`]);
  const read = await reader(text);
  if (read.problems.length > 0) throw refuseText('scenario', path, text, read.problems);
  const problems = checkScenario(read.value);
  if (problems.length > 0) throw refuseValue('scenario', path, text, read, withQuotes(read.value, problems));
  // Checked: it has the members of the type and no others.
  return read.value as Scenario;
}

/** What looks like a number to YAML, such as a user id of digits, is text once it is in quotes. */
function withQuotes(value: unknown, problems: readonly ErrorDetail[]): ErrorDetail[] {
  return problems.map(({ pointer = '', rule, detail }) => {
    const found = pointer
      .split('/')
      .slice(1)
      .reduce<unknown>((parent, token) => Object(parent)[token], value);
    const isScalar = typeof found === 'number' || typeof found === 'boolean';
    return {
      pointer,
      rule,
      detail: isScalar && detail === 'must be string' ? `${detail}: put it in quotes` : detail,
    };
  });
}
