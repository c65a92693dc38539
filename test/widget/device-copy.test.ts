// The text of a link on the device, without a browser: what a tab stores, shows and removes.
import t from 'tap';
import { openCopy, removeEnded, type Texts } from '../../lib/widget/browser/device-copy.js';
import { deviceKey } from '../../lib/widget/device-key.js';

const KEY = deviceKey('acme', 'link');
const PREFILL = { number: 'A-1', place: '' };
const END = 5000;

const fields = (changes: Record<string, string> = {}) => new URLSearchParams({ ...PREFILL, ...changes });
const openTab = (device: Texts, tab: Texts = {}) => openCopy(device, tab, KEY, fields(), END);
const shown = (copy: ReturnType<typeof openTab>) => Object.fromEntries(copy.read() ?? []);

t.test(
  'only the fields that differ from the prefill are stored, under client and link id, with an end',
  async (t) => {
    const device: Texts = {};
    const copy = openTab(device);
    copy.save(fields({ place: 'A road' }));
    t.same(device, { 'claimlink-draft:acme:link': '5000 place=A+road' });
    t.same(shown(openTab(device)), { number: 'A-1', place: 'A road' });
  },
);

t.test('a prefilled field that is emptied, and a field that the form has lost, stay empty', async (t) => {
  const device: Texts = {};
  openTab(device).save(new URLSearchParams({ place: '' }));
  t.same(shown(openTab(device)), { number: '', place: '' });
});

t.test(
  'an empty field that the prefill lacks is stored: of an added person, or the choice of no answer',
  async (t) => {
    const device: Texts = {};
    openTab(device).save(fields({ name: 'Ann', email: '', injured: '' }));
    t.same(shown(openTab(device)), { ...PREFILL, name: 'Ann', email: '', injured: '' });
  },
);

t.test('a text that becomes the prefill again has no field', async (t) => {
  const device: Texts = {};
  const copy = openTab(device);
  copy.save(fields({ place: 'A road' }));
  copy.save(fields());
  t.equal(device[KEY], '5000 ');
  t.same(shown(openTab(device)), PREFILL);
});

t.test('a tab takes over the text that another one has stored since', async (t) => {
  const device: Texts = {};
  const [first, second] = [openTab(device), openTab(device)];
  first.save(fields({ place: 'first' }));
  t.equal(first.isOld(), false);
  t.equal(second.isOld(), true);
  t.same(shown(second), { ...PREFILL, place: 'first' });
  t.equal(second.isOld(), false);
  second.save(fields({ place: 'second' }));
  t.equal(device[KEY], '5000 place=second');
});

t.test('a tab with unsaved text stores nothing until the person decides, also after a reload', async (t) => {
  const device: Texts = {};
  const tab: Texts = {};
  const [first, second] = [openTab(device), openTab(device, tab)];
  first.save(fields({ place: 'first' }));
  const before = { ...device };
  second.save(fields({ place: 'second' }));
  t.same(device, before);
  const reloaded = openTab(device, tab);
  t.equal(reloaded.isOpen(), true);
  t.equal(reloaded.read(), undefined, 'the text of the tab is shown');
  reloaded.save(fields({ place: 'second 2' }));
  t.same(device, before);
  reloaded.decide();
  t.same(shown(reloaded), { ...PREFILL, place: 'first' });
  reloaded.save(fields({ place: 'second 3' }));
  t.equal(device[KEY], '5000 place=second+3', 'it stores again');
  t.same(tab, {});
});

t.test('a stored claim removes the text of this tab, and not a newer one that it lacks', async (t) => {
  const device: Texts = {};
  const [first, second] = [openTab(device), openTab(device)];
  first.save(fields({ place: 'first' }));
  first.clear(true);
  t.same(device, {});
  first.save(fields({ place: 'first' }));
  second.read();
  second.save(fields({ place: 'second' }));
  first.clear(true);
  t.equal(device[KEY], '5000 place=second');
  first.clear();
  t.same(device, {}, 'the person removes any');
});

t.test('a storage that is full keeps no older text', async (t) => {
  const texts: Texts = {};
  let isFull = false;
  const device = new Proxy(texts, {
    set(target, key, value) {
      if (isFull) throw new Error('QuotaExceededError');
      return Reflect.set(target, key, value);
    },
  });
  const copy = openTab(device);
  copy.save(fields({ place: 'older' }));
  isFull = true;
  t.throws(() => copy.save(fields({ place: 'newer' })));
  t.same(texts, {});
  isFull = false;
  copy.save(fields({ place: 'newest' }));
  t.equal(device[KEY], '5000 place=newest');
});

t.test('a text that the browser has removed is stored again with the next one', async (t) => {
  const device: Texts = {};
  const copy = openTab(device);
  copy.save(fields({ place: 'first' }));
  delete device[KEY];
  t.equal(copy.isOld(), false);
  copy.save(fields({ place: 'second' }));
  t.equal(device[KEY], '5000 place=second');
});

t.test('past its end each text goes, and one whose end cannot be read; other keys stay', async (t) => {
  const device: Texts = {
    [KEY]: '5000 place=a',
    [deviceKey('other', 'link')]: '5001 place=b',
    [deviceKey('acme', 'broken')]: '{"place":"c"}',
    theirs: 'x',
  };
  removeEnded(device, 4999);
  t.same(Object.keys(device), [KEY, deviceKey('other', 'link'), 'theirs']);
  removeEnded(device, 5000);
  t.same(Object.keys(device), [deviceKey('other', 'link'), 'theirs']);
});
