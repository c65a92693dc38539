// Only harmless URLs become an href.
import t from 'tap';
import { mailHref, phoneHref } from '../../lib/widget/links.js';
import { redirectHref, webHost, webHref, webLabel } from '../../lib/widget/urls.js';

t.test('a web link is http or https', async (t) => {
  for (const url of ['https://a.example/?x=1', 'http://a.example']) t.equal(webHref(url), url);
  for (const url of ['javascript:alert(1)', ' java\nscript:alert(1)', 'ftp://a.example', '/path', undefined])
    t.equal(webHref(url), undefined, String(url));
});

t.test('a redirect may have a custom scheme, but none that runs or reads anything here', async (t) => {
  for (const url of ['myapp://done?x=1', 'https://a.example']) t.equal(redirectHref(url), url);
  for (const url of [
    'JavaScript:alert(1)',
    '\tdata:text/html,x',
    'vbscript:x',
    'blob:https://a.example/x',
    'file:///etc/passwd',
    'about:blank',
    'view-source:https://a.example/',
    'no url',
    undefined,
  ])
    t.equal(redirectHref(url), undefined, String(url));
});

t.test('a link is shown as host and path', async (t) => {
  t.equal(webLabel('https://a.example:8443/help?x=1#y'), 'a.example:8443/help');
  t.equal(webLabel('https://a.example/'), 'a.example');
  t.equal(webHost('https://a.example/x'), 'a.example');
  t.equal(webHost('myapp://done'), undefined);
});

t.test('a web link beyond ASCII stays one when the code has been optimised', async (t) => {
  const url = 'https://bücher.example/';
  let lost = 0;
  for (let i = 0; i < 30_000; i++)
    if (webHref(i % 2 === 0 ? url : 'https://a.example/') === undefined) lost++;
  t.equal(lost, 0);
});

t.test('a mail link has one recipient and no headers', async (t) => {
  t.equal(mailHref('a.b@c.example'), 'mailto:a.b@c.example');
  t.equal(mailHref('a?bcc=x&y@c.example'), 'mailto:a%3Fbcc%3Dx%26y@c.example');
  t.equal(mailHref('a@b,c@d'), undefined);
  t.equal(mailHref('nobody'), undefined);
  t.equal(mailHref('\ud800@c.example'), undefined);
});

t.test('a mail link encodes its subject and body, with spaces as %20 and line ends as CRLF', async (t) => {
  t.equal(
    mailHref('a@c.example', { subject: 'Claim 1 & 2+3?', body: 'One\nTwo\r\n\ud800&bcc=x' }),
    'mailto:a@c.example?subject=Claim%201%20%26%202%2B3%3F&body=One%0D%0ATwo%0D%0A%EF%BF%BD%26bcc%3Dx',
  );
  t.equal(mailHref('a@c.example', { subject: 'Claim', body: undefined }), 'mailto:a@c.example?subject=Claim');
});

t.test('a phone link has what can be dialled', async (t) => {
  t.equal(phoneHref('+44 (0)20 7946 0000'), 'tel:+442079460000');
  t.equal(phoneHref('(020) 7946-0000 ext. 12'), 'tel:02079460000');
  t.equal(phoneHref('ask at the desk'), undefined);
});
