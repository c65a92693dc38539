// The standalone pages and WCAG 2.2, level AA: what a program can check in Chromium. docs/evidence/accessibility.md has the rest.
import type { Page } from 'playwright-core';
import t from 'tap';
import { en } from '../../lib/widget/locales/en.js';
import { fillIn } from '../../lib/widget/locales/texts.js';
import { sized } from '../size.js';
import { type AccessibleNode, accessibleNodes } from './accessibility-tree.js';
import { launchChromium } from './chromium.js';
import { COMPLETE_POLICY, EVERY_PART, startHost } from './host.js';
import { openPage, STILL, walkBothWays } from './page-walk.js';

/** Start of the text of the buttons that lead to the next step. */
const NEXT = en.form.next.replace('{step}', '').trim();

/** Line height 1.5, paragraphs 2, letters 0.12 and words 0.16 times the font size (1.4.12). */
const TEXT_SPACING =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }' +
  'p { margin-bottom: 2em !important }';

/** Controls that the user sees. */
const CONTROLS = `[...document.querySelectorAll('a, button, input, textarea')].filter((element) => element.checkVisibility())`;

/** Finds a page that is wider than the window, text outside of its box, text on other text, and fields that cut text off. */
const FIND_LAYOUT_PROBLEMS = `(() => {
  const problems = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) problems.push('the page is ' + scrollWidth + ' px wide');
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (!textContent.trim() || !parentElement.checkVisibility() || parentElement.closest('.vh')) continue;
    const box = parentElement.closest('.button, .progress li, .reference, .problems, .card, .help, .wrap').getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const line of range.getClientRects()) {
      if (line.left < box.left - 1 || line.right > box.right + 1 || line.top < box.top - 1 || line.bottom > box.bottom + 1) {
        problems.push('outside of its box: ' + textContent);
      }
      lines.push({ line, textContent });
    }
  }
  lines.forEach(({ line, textContent }, index) => {
    for (const other of lines.slice(index + 1)) {
      const width = Math.min(line.right, other.line.right) - Math.max(line.left, other.line.left);
      const height = Math.min(line.bottom, other.line.bottom) - Math.max(line.top, other.line.top);
      if (width > 2 && height > line.height / 3) problems.push(textContent + ' is on ' + other.textContent);
    }
  });
  for (const input of document.querySelectorAll('input')) {
    if (input.clientHeight > 0 && input.scrollHeight > input.clientHeight + 1) problems.push('cut off: ' + input.name);
  }
  return problems;
})()`;

/** Returns code that finds words on more than one line. A word may break after a hyphen of its own. */
function findBrokenWords(selector: string): string {
  return `[...document.querySelectorAll('${selector}')].flatMap((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const broken = [];
    while (walker.nextNode()) {
      for (const { 0: word, index } of walker.currentNode.textContent.matchAll(/[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
      }
    }
    return broken;
  })`;
}

/** Returns how the element with the focus shows it, and whether something covers it. */
const READ_FOCUS = `(() => {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(element);
  const hasOutline = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && outlineColor !== 'rgba(0, 0, 0, 0)';
  const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
  const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  return {
    name: element.getAttribute('name'),
    text: element.textContent.trim(),
    isVisible: hasOutline || boxShadow.includes('0px 0px 0px 5px'),
    isOnTop: element.contains(document.elementFromPoint(x, y)),
  };
})()`;

interface Focus {
  name: string | null;
  text: string;
  isVisible: boolean;
  isOnTop: boolean;
}

const FIELD_ROLES = new Set(['textbox', 'Date']);
const CONTROL_ROLES = new Set([...FIELD_ROLES, 'button', 'link', 'spinbutton']);
const SPOKEN_ROLES = new Set([...FIELD_ROLES, 'link', 'heading', 'region', 'group', 'alert']);

/** What a person or the client wrote. */
const { holder, vehicle, provider, number } = COMPLETE_POLICY;
const WRITTEN = [
  ...[holder.firstName, holder.lastName, holder.email, holder.phone, vehicle.licensePlate, provider, number],
  ...['Corrected', 'Acme <Insurance>', 'help@acme.example', '+49 30 5678', 'acme.example/help'],
];

/** Finds texts of a person or the client that a browser translates with the page. */
const FIND_TRANSLATED = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const translated = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const isText = !parentElement.closest('script, style, template');
    if (isText && parentElement.translate && ${JSON.stringify(WRITTEN)}.some((value) => data.includes(value)))
      translated.push(data);
  }
  return translated;
})()`;

/** What must hold in every state of the pages. Each function returns the problems that it finds. */
const RULES: Readonly<Record<string, (page: Page, nodes: readonly AccessibleNode[]) => Promise<string[]>>> = {
  'a browser that translates the page leaves alone what a person or the client wrote': (page) =>
    page.evaluate<string[]>(FIND_TRANSLATED),
  async 'no text is lost at 320 px, with text of twice the size, or with more space between letters'(page) {
    const problems: string[] = [];
    const find = async (look: string) => {
      const layoutProblems = await page.evaluate<string[]>(FIND_LAYOUT_PROBLEMS);
      problems.push(...layoutProblems.map((problem) => `${look}: ${problem}`));
    };
    for (const width of sized([320, 390, 1280], [320, 390])) {
      await page.setViewportSize({ width, height: 800 });
      await find(`${width} px`);
      if (width > 320) {
        await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
        await find(`${width} px, 200 % text`);
        await page.evaluate(`document.documentElement.style.fontSize = ''`);
      }
      // The policy of the page does not allow a further style element.
      await page.evaluate(`{
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(${JSON.stringify(TEXT_SPACING)});
        document.adoptedStyleSheets = [sheet];
      }`);
      await find(`${width} px, text spacing`);
      await page.evaluate('document.adoptedStyleSheets = []');
    }
    return problems;
  },

  'targets are 24 px wide and high, unless they are in a sentence': (page) =>
    page.evaluate<string[]>(`${CONTROLS}
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        return getComputedStyle(element).display !== 'inline' && (width < 24 || height < 24);
      })
      .map(({ outerHTML }) => outerHTML)`),

  async 'with forced colours, controls have borders or underlines, and the current step differs'(page) {
    await page.emulateMedia({ forcedColors: 'active' });
    const problems = await page.evaluate<string[]>(`${CONTROLS}
      .filter((element) => {
        const { appearance, borderTopWidth, borderTopStyle, borderTopColor, textDecorationLine } = getComputedStyle(element);
        // The browser paints them itself, with their borders.
        if (element.matches('[type=radio], [type=checkbox]')) return appearance !== 'auto';
        const canvas = getComputedStyle(document.body).backgroundColor;
        const hasBorder = parseFloat(borderTopWidth) >= 1 && borderTopStyle === 'solid' && borderTopColor !== canvas;
        return !hasBorder && !(element.matches('a:not(.button)') && textDecorationLine === 'underline');
      })
      .map(({ outerHTML }) => outerHTML)`);
    const dots = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.dot')].filter((dot) => dot.checkVisibility()).map((dot) => getComputedStyle(dot).backgroundColor)`,
    );
    await page.emulateMedia({ forcedColors: 'none' });
    if (dots.length > 0 && new Set(dots).size !== 2) problems.push('the current step looks like the others');
    return problems;
  },

  'with reduced motion nothing moves': findMoving,

  async 'every control has a name, and a field with a message is invalid'(_page, nodes) {
    const controls = nodes.filter(({ role }) => CONTROL_ROLES.has(role));
    const nameless = controls.filter(({ name }) => name === '').map(({ role }) => `${role} without a name`);
    const valid = controls.filter(
      (node) =>
        FIELD_ROLES.has(node.role) && node.description.includes(en.page.errorPrefix) && !isInvalid(node),
    );
    return [...nameless, ...valid.map(({ name }) => `${name} is valid`)];
  },

  async 'the buttons of a page differ by their names, which say what they change'(_page, nodes) {
    const names = nodes
      .filter(({ role }) => role === 'button' || role === 'DisclosureTriangle')
      .map(({ name }) => name)
      // The buttons of Chromium in its date inputs.
      .filter((name) => !/^Show .* picker$/.test(name));
    return names.filter((name, index) => name === en.script.change || names.indexOf(name) !== index);
  },
};

function findMoving(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('html, body, body *')]
    .filter((element) => {
      const { transitionProperty, transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
      const isMoved = transitionProperty !== 'none' && /[1-9]/.test(transitionDuration);
      return isMoved || animationName !== 'none' || scrollBehavior === 'smooth';
    })
    .map(({ localName, className }) => localName + '.' + className)`);
}

/** What live regions have in the states of the way with scripts. */
const MESSAGES: Readonly<Record<string, string>> = {
  contact: `polite: ${en.fields.incidentDate.label}: ${en.script.warnings.outsideCover}`,
  'an address to check': `polite: ${en.fields.email.label}: ${en.script.warnings.emailDomain}`,
  'a person removed': `polite: ${fillIn(en.script.personRemoved, { person: 'Person 1' })}`,
  'too large': failure(en.script.notSent, en.script.tooLarge),
  'too many requests': failure(en.script.notSent, fillIn(en.script.tooMany, { time: 'in 2 minutes' })),
  'the wait is over': failure(en.script.notSent, en.script.sendNow),
  offline: failure(en.script.unknown, en.script.offline),
  'server error': failure(en.script.unknown),
  sending: `polite: ${en.script.sendingClaim}`,
  'no response': failure(en.script.unknown),
  'rejected after an unknown result': failure(en.script.unknown, en.script.rejected),
  'success, the user stays': `polite: ${en.script.stayed}`,
  'text copied': `polite: ${en.script.copied}`,
};

const browser = await launchChromium(t);
if (browser !== undefined) {
  const host = await startHost(t, EVERY_PART.options, EVERY_PART.client);

  // One walk for all rules: most of the time goes into it.
  t.test('in every state of the pages', async (t) => {
    const problemsByRule = new Map(Object.keys(RULES).map((rule) => [rule, [] as string[]]));
    const heard: Record<string, string> = {};
    let states = 0;
    await walkBothWays(t, browser, host, async (page, state) => {
      states += 1;
      const nodes = await accessibleNodes(page);
      if (!state.endsWith('without JavaScript')) {
        const summary = nodes.find(({ name, role }) => role === 'group' && name === en.form.problemsTitle);
        const hasProblems = summary !== undefined;
        t.equal((await page.title()).startsWith(en.page.errorPrefix), hasProblems, `${state}: title`);
        const messages = nodes.filter(({ role, text }) => /^(?:alert|status)$/.test(role) && text !== '');
        if (hasProblems) t.equal(summary.states['focused'], true, `${state}: focus`);
        else for (const { states, text } of messages) heard[state] = `${states['live']}: ${text}`;
      }
      for (const [rule, find] of Object.entries(RULES)) {
        const problems = (await find(page, nodes)).map((problem) => `${state}: ${problem}`);
        problemsByRule.get(rule)?.push(...problems);
      }
    });
    t.ok(states > sized(15, 10), `${states} states`);
    for (const [rule, problems] of problemsByRule) t.same(problems, [], rule);
    // These depend on the time of the check.
    for (const state of ['success', 'five minutes before the end of the link']) delete heard[state];
    t.same(heard, MESSAGES, 'messages reach live regions');
  });

  t.test('words stay whole in the summary at 320 px and in the progress bar with large text', async (t) => {
    for (const locale of ['en', 'de', 'fi', 'pl']) {
      const viewport = { width: 320, height: 640 };
      const page = await openPage(t, browser, await host.mint({ policy: {} }), { locale, viewport });
      await page.locator('section[data-current] [data-next]').click();
      t.same(await page.evaluate(findBrokenWords('.problems li')), [], `${locale}: summary`);
      for (const [width, size] of [
        [320, '100%'],
        [320, '200%'],
        [390, '200%'],
        [1280, '200%'],
      ] as const) {
        await page.setViewportSize({ width, height: 640 });
        await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
        const broken = await page.evaluate(findBrokenWords('.progress li'));
        t.same(broken, [], `${locale}: progress, ${width} px, ${size}`);
      }
    }
  });

  t.test('users who did not ask for reduced motion see transitions', async (t) => {
    const page = await openPage(t, browser, await host.mint());
    t.ok((await findMoving(page)).length > 0);
  });

  t.test('a screen reader gets names, states and messages in the order of the page', async (t) => {
    const page = await openPage(t, browser, await host.mint({ policy: {} }));
    await page.locator('[name="/policy/number"]').fill('N');
    await page.getByRole('button', { name: NEXT }).click();
    const { policyNumber, validFrom, validTo, licensePlate } = en.fields;
    const linksTo = [validFrom, validTo, licensePlate].map(({ missing }) => `link ${missing}`);
    const nodes = await accessibleNodes(page);
    const form = nodes.slice(
      0,
      nodes.findIndex(({ name }) => name.startsWith(NEXT)),
    );
    t.same(form.filter(({ role }) => SPOKEN_ROLES.has(role)).map(speak), [
      // The list of languages, which is closed.
      'group ',
      `heading ${en.form.title}`,
      `group ${en.form.problemsTitle}, focused: ${[validFrom, validTo, licensePlate].map(({ missing }) => missing).join(' ')}`,
      `heading ${en.form.problemsTitle}`,
      ...linksTo,
      `heading ${en.steps.policy.title}: ${stepOf(1)}`,
      `link ${en.form.privacyPolicy} ${en.page.newTab}`,
      `textbox ${policyNumber.label}, required`,
      `group ${en.form.coverPeriod}`,
      `group ${validFrom.label}`,
      // Chromium has no "required" for dates. The text above the form says which answers are needed.
      `Date ${validFrom.label}, invalid: Error: ${validFrom.missing}`,
      `group ${validTo.label}`,
      `Date ${validTo.label}, invalid: Error: ${validTo.missing}`,
      `textbox ${licensePlate.label}, required, invalid: Error: ${licensePlate.missing}`,
    ]);
  });

  t.test('each step shows its number; a screen reader hears it once, with the heading', async (t) => {
    const page = await openPage(t, browser, await host.mint());
    const titles = Object.values(en.steps).map(({ title }) => title);
    for (const [index, title] of titles.entries()) {
      t.equal(
        await page
          .getByText(stepOf(index + 1))
          .filter({ visible: true })
          .count(),
        1,
        title,
      );
      if (index > 0) {
        const nodes = await accessibleNodes(page);
        const focused = nodes.filter(
          ({ role, states }) => role !== 'RootWebArea' && states['focused'] === true,
        );
        t.same(focused.map(speak), [`heading ${title}: ${stepOf(index + 1)}`]);
        t.equal(nodes.find(({ role }) => role === 'status')?.text, '');
      }
      if (index < titles.length - 1) await page.getByRole('button', { name: NEXT }).click();
    }
  });

  t.test('the fields of a person are required as soon as one of them has a text', async (t) => {
    const linkedContacts = [{ firstName: 'Grace' }];
    const url = await host.mint({
      policy: { ...COMPLETE_POLICY, linkedContacts },
      initialStepKey: 'contact',
    });
    const page = await openPage(t, browser, url);
    const fieldsOf = async (person: string) => {
      const nodes = await accessibleNodes(page);
      const fields = nodes
        .slice(nodes.findIndex(({ name }) => name === person))
        .filter(({ role }) => role === 'textbox');
      return fields.slice(0, 4).map(speak);
    };
    const { firstName, lastName, email, phone } = en.fields;
    const needed = [firstName, lastName, email].map(({ label }) => `textbox ${label}, required`);
    const optional = [firstName, lastName, email].map(({ label }) => `textbox ${label}`);
    const last = `textbox ${phone.label} ${en.form.optional}`;
    t.same(await fieldsOf('Person 1'), [...needed, last]);
    await page.getByRole('button', { name: en.form.addPerson }).click();
    t.same(await fieldsOf('Person 2'), [...optional, last]);
    await page.keyboard.type('K');
    t.same(await fieldsOf('Person 2'), [...needed, last]);
    await page.keyboard.press('Backspace');
    t.same(await fieldsOf('Person 2'), [...optional, last]);
    await page.keyboard.type('K');
    await page.reload();
    t.same(await fieldsOf('Person 2'), [...needed, last]);
  });

  t.test('the names of the links to the contact have the addresses, without spaces in them', async (t) => {
    const page = await openPage(t, browser, await host.mint());
    const nodes = await accessibleNodes(page);
    const help = nodes.slice(nodes.findIndex(({ role }) => role === 'complementary'));
    t.same(
      help.filter(({ role }) => role === 'link').map(({ name }) => name),
      [
        '+49 30 5678',
        `${en.help.email} help@acme.example`,
        `${en.help.web} acme.example/help ${en.page.newTab}`,
      ],
    );
  });

  t.test('a keyboard is enough, and each stop shows the focus', async (t) => {
    const page = await openPage(t, browser, await host.mint({ policy: {} }), {
      ...STILL,
      viewport: { width: 390, height: 500 },
    });
    const stops = new Set<string>();
    /** Presses Tab until the focus is on a field with this name, or on a control whose text starts so. */
    const tabTo = async (nameOrText: string) => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab');
        const { name, text, isVisible, isOnTop } = await page.evaluate<Focus>(READ_FOCUS);
        const stop = name ?? text;
        stops.add(stop);
        if (!isVisible) t.fail(`${stop} does not show the focus`);
        if (!isOnTop) t.fail(`${stop} is covered`);
        if (stop.startsWith(nameOrText)) return;
      }
      t.fail(`Tab does not reach ${nameOrText}`);
    };
    const press = async (text: string) => {
      await tabTo(text);
      await page.keyboard.press('Enter');
    };
    const fill = async (values: Record<string, string>) => {
      for (const [name, value] of Object.entries(values)) {
        await tabTo(name);
        await page.keyboard.type(value);
      }
    };

    await press(NEXT);
    await press(en.fields.policyNumber.missing);
    t.equal(
      await page.evaluate('document.activeElement.name'),
      '/policy/number',
      'a problem leads to its field',
    );
    await page.keyboard.type('N');
    await fill({
      '/policy/validFrom': '01012026',
      '/policy/validTo': '12122026',
      '/policy/vehicle/licensePlate': 'L',
    });
    await press(NEXT);
    await press(NEXT);
    await fill({
      '/policy/holder/firstName': 'F',
      '/policy/holder/lastName': 'S',
      '/policy/holder/phone': '123',
      '/policy/holder/email': 'f@example.com',
    });
    await press(en.form.addPerson);
    t.equal(await page.evaluate('document.activeElement.name'), '/policy/linkedContacts/0/firstName');
    await press(en.form.remove);
    await press(NEXT);
    await page.getByRole('heading', { name: en.steps.review.title }).waitFor();
    await press(en.script.change);
    await press(NEXT);
    await press(NEXT);
    await press(NEXT);
    await press(en.form.send);
    await page.getByRole('heading', { name: en.success.title }).waitFor();
    t.match((await host.list())[0], { selectedPolicy: { validFrom: '2026-01-01', validTo: '2026-12-12' } });
    await tabTo(fillIn(en.script.continueTo, { host: new URL(host.callbackOrigin).host }));
    t.equal(await page.locator('[data-countdown]').isVisible(), false, 'a key has ended the countdown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${host.callbackOrigin}/done?**`);
    t.ok(stops.size > 20, `${stops.size} different stops`);
  });
}

/** Returns the message of a failure. */
function failure(result: string, ...reasons: string[]): string {
  const { script } = en;
  const safe = result === script.unknown ? [script.changedNow] : [];
  return `assertive: ${[result, ...reasons, script.nothingLost, ...safe].join(' ')}`;
}

function stepOf(number: number): string {
  return fillIn(en.script.stepOf, { number, count: Object.keys(en.steps).length });
}

function isInvalid({ states }: AccessibleNode): boolean {
  return states['invalid'] === 'true';
}

/** Returns what a screen reader says of an element. */
function speak(node: AccessibleNode): string {
  const { role, name, description, states } = node;
  const parts = [`${role} ${name}`];
  if (states['required'] === true) parts.push('required');
  if (states['focused'] === true && name === en.form.problemsTitle) parts.push('focused');
  if (isInvalid(node)) parts.push('invalid');
  return `${parts.join(', ')}${description && `: ${description}`}`;
}
