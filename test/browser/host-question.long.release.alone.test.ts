// The question of a host to the recipient of a link in a real browser, with and without JavaScript.
import type { Page } from 'playwright-core';
import t from 'tap';
import type { RecipientQuestion } from '../../lib/index.js';
import { axeViolations } from './axe.js';
import { launchChromium } from './chromium.js';
import { startHost } from './host.js';
import { openPage } from './page-walk.js';

const QUESTIONS: readonly (RecipientQuestion & { wrong: string; right: string })[] = [
  {
    id: 'dateOfBirth',
    kind: 'date',
    texts: { en: { label: 'When were you born?', hint: 'As in your policy' } },
    wrong: '1990-01-30',
    right: '1990-01-31',
  },
  {
    id: 'room',
    kind: 'text',
    texts: { en: { label: 'In which room is the boiler?' } },
    wrong: 'Kitchen',
    right: 'Cellar',
  },
];

const browser = await launchChromium(t);

if (browser !== undefined) {
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  for (const { wrong, right, ...question } of QUESTIONS) {
    const label = question.texts['en']?.label ?? '';
    const checkRecipient = ({ answer }: { answer: string }) => answer === right;
    const host = await startHost(t, { checkRecipient }, { settings: { recipientCheck: question } });
    for (const javaScriptEnabled of [true, false])
      t.test(
        `a question of the kind ${question.kind}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
        async (t) => {
          const page = await openPage(t, browser, await host.mint(), { javaScriptEnabled });
          const answer = async (text: string) => {
            await page.getByLabel(label).fill(text);
            await page.getByRole('button', { name: 'Continue' }).click();
          };
          t.notMatch(await page.content(), /Lovelace|AB12|NW-2026/);
          await answer('');
          await page
            .getByRole('group', { name: 'There is a problem' })
            .getByText(question.kind === 'date' ? 'enter a date that exists' : 'enter an answer')
            .waitFor();
          await answer(wrong);
          await page.getByRole('group', { name: 'There is a problem' }).getByText('Tries left: 4').waitFor();
          if (javaScriptEnabled) t.same(await axeViolations(page), []);
          await answer(right);
          await heading(page, 'Report a claim');
          t.match(await page.content(), /Lovelace/);
        },
      );
  }
}
