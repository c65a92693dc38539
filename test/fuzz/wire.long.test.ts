// A short run of `npm run proof -- fuzz`.
import t from 'tap';
import { sized } from '../size.js';
import { fuzz } from './wire.js';

const INPUTS = sized(300, 20);

t.test(`${INPUTS}generated inputs on the sockets of every mount: no 5xx, and all still answer`, async (t) => {
  const { counts, failures } = await fuzz({ seed: 1, seconds: 600, inputs: INPUTS });
  t.same(failures, []);
  t.equal(counts.length, 10);
  for (const { name, inputs, statuses } of counts) {
    t.equal(inputs, INPUTS, name);
    t.ok(statuses[200], `${name}: ${JSON.stringify(statuses)}`);
  }
});
