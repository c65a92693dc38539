// The rules of the contract suite about photos, over a mock whose client takes them.
import t from 'tap';
import { contractSuite, isNotApplicable, isRuleFailure } from '../../lib/testing/index.js';
import { createMockFetch } from '../../mock-server/mock-fetch.js';
import { type Handler, PHOTO_SECTION, targetOf } from './deployment.js';

function rulesOf(need: 'optional' | 'hidden', change: (response: Response) => Response = (same) => same) {
  const settings = { form: { photos: { need } } };
  const mock = createMockFetch({ clients: [{ clientId: 'acme', apiKey: 'clk_test_acme', settings }] });
  const handler: Handler = async (request) => change(await mock(request));
  const target = targetOf(handler, { baseUrl: mock.publicUrl, apiKey: 'clk_test_acme' });
  return contractSuite(target).filter(({ section }) => section === PHOTO_SECTION);
}

const outcomeOf = (run: () => Promise<void>) =>
  run().then(
    () => undefined,
    (error: unknown) => error,
  );

t.test('a deployment that takes photos follows each rule about them', async (t) => {
  const rules = rulesOf('optional');
  t.equal(rules.length, 4);
  for (const { name, kind, run } of rules) {
    t.equal(kind, 'decision');
    t.equal(await outcomeOf(run), undefined, name);
  }
});

t.test('the rules do not apply to a client that takes no photos', async (t) => {
  for (const { name, run } of rulesOf('hidden')) t.ok(isNotApplicable(await outcomeOf(run)), name);
});

for (const header of ['content-disposition', 'x-content-type-options', 'content-security-policy'])
  t.test(`a deployment that serves photos without ${header} is detected`, async (t) => {
    const rules = rulesOf('optional', ({ body, status, headers }) => {
      const changed = new Headers(headers);
      if (headers.get('content-type') === 'image/jpeg') changed.delete(header);
      return new Response(body, { status, headers: changed });
    });
    const outcomes = await Promise.all(rules.map(({ run }) => outcomeOf(run)));
    t.same(outcomes.map(isRuleFailure), [false, false, true, false]);
  });
