// What is loaded with the first use.
import t from 'tap';
import { once } from '../../lib/core/once.js';

t.test('callers at the same time, and those after them, get one value', async (t) => {
  let count = 0;
  const load = once(async () => ++count);
  t.same(await Promise.all([load(), load()]), [1, 1]);
  t.equal(await load(), 1);
});

t.test('after a failure, the next call tries again', async (t) => {
  let count = 0;
  const load = once(async () => {
    count += 1;
    if (count === 1) throw new Error('no more files can be opened');
    return count;
  });
  await t.rejects(Promise.all([load(), load()]), { message: 'no more files can be opened' });
  t.equal(await load(), 2);
});
