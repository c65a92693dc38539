// Random and mutated compact tokens. The long form is `npm run proof -- fuzz --tokens 10000000`.
import t from 'tap';
import { sized } from '../size.js';
import { fuzzTokens } from './tokens.js';

t.test('no random or mutated compact token opens a link or calls the storage', async (t) => {
  const random = sized(200_000, 20_000);
  const mutated = sized(20_000, 4_000);
  const { outcomes, mutations, failures } = await fuzzTokens({ random, mutated, seed: 1 });
  t.strictSame(failures, []);
  t.strictSame(outcomes, { link_not_found: random + mutated });
  t.equal(Object.keys(mutations).length, 16, 'each mutation was made');
});
