// The common email domain that a person may have meant.
import t from 'tap';
import { commonDomainNear } from '../../lib/widget/browser/email-domain.js';

for (const [typed, meant] of [
  ['gmial.con', 'gmail.com'],
  ['GMAIL.CO', 'gmail.com'],
  ['gmailcom', 'gmail.com'],
  ['hotmial.com', 'hotmail.com'],
  ['outlok.de', 'outlook.de'],
  ['t-onlin.de', 't-online.de'],
  ['gmx.dee', 'gmx.de'],
  ['hotmial.gr', 'hotmail.gr'],
  ['yaho.co.uk', 'yahoo.co.uk'],
  ['gmaim.com', 'gmail.com'],
  ['gmail.cmo', 'gmail.com'],
  ['hotmail.cm', 'hotmail.com'],
])
  t.test(`${typed} may be ${meant}`, async (t) => t.equal(commonDomainNear(typed ?? ''), meant));

for (const domain of [
  'gmail.com',
  'mail.com',
  'ymail.com',
  'gmx.at',
  'hotmail.be',
  'yahoo.co.uk',
  'bmw.de',
  'wdr.de',
  'gmail.fr',
  'comcast.com',
  'mailw.com',
  'email.com',
  'gmail.hu',
  'yahoo.ca',
  'live.com.au',
  'pm.me',
  'bt.com',
  'mask.io',
  'example.com',
  '',
  `${'g'.repeat(9999)}.com`,
])
  t.test(`${domain.slice(0, 20)} gets no suggestion`, async (t) =>
    t.equal(commonDomainNear(domain), undefined),
  );
