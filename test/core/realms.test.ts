// Values of another realm: in Jest, the errors and signals of Node are not of the realm of the test.
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { failureReason } from '../../lib/core/failure-reason.js';

t.test('an error of another realm has a reason', async (t) => {
  const error = runInNewContext("Object.assign(new Error('no'), { code: 'ECONNREFUSED' })");
  t.match(failureReason(error), 'ECONNREFUSED');
});
