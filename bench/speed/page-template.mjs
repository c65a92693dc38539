// claimlink's page with holes, so that the hand-written peers answer the same page from a template of their own.

import { CLIENT, LINK_BODY, PUBLIC_URL } from './data.mjs';
import { createService } from './service.mjs';

/** Where a value of the link stands in the page; dates must look like dates. */
const MARKS = {
  privacyPolicyUrl: 'https://mark.example/privacy',
  provider: 'MARK-PROVIDER',
  number: 'MARK-NUMBER',
  validFrom: '1901-02-03',
  validTo: '1902-03-04',
  holderFirstName: 'MARK-HOLDER-FIRST',
  holderLastName: 'MARK-HOLDER-LAST',
  holderEmail: 'mark.holder@mark.example',
  holderPhone: 'MARK-HOLDER-PHONE',
  licensePlate: 'MARK-PLATE',
  contactFirstName: 'MARK-CONTACT-FIRST',
  contactLastName: 'MARK-CONTACT-LAST',
  contactEmail: 'mark.contact@mark.example',
  contactPhone: 'MARK-CONTACT-PHONE',
};

/**
 * Resolves to `{ parts, names }`: the page is `parts[0]`, the value of `names[0]`, `parts[1]` and so on. `nonce` is a
 * name, too. Only for links like the benchmarks': one linked contact, step `policy`, and their contact, which stands in
 * the page in several forms and is no hole.
 */
export async function createPageTemplate() {
  const { contact } = JSON.parse(LINK_BODY).config;
  const claimlink = createService();
  const { url } = await claimlink.createLink(CLIENT.clientId, {
    callbackUrl: 'https://app.example.com/',
    callbackOnSubmit: true,
    config: {
      contact,
      currentUserId: 'user-10',
      initialStepKey: 'policy',
      privacyPolicyUrl: MARKS.privacyPolicyUrl,
      policy: {
        provider: MARKS.provider,
        number: MARKS.number,
        validFrom: MARKS.validFrom,
        validTo: MARKS.validTo,
        holder: {
          firstName: MARKS.holderFirstName,
          lastName: MARKS.holderLastName,
          email: MARKS.holderEmail,
          phone: MARKS.holderPhone,
        },
        vehicle: { licensePlate: MARKS.licensePlate },
        linkedContacts: [
          {
            firstName: MARKS.contactFirstName,
            lastName: MARKS.contactLastName,
            email: MARKS.contactEmail,
            phone: MARKS.contactPhone,
          },
        ],
      },
    },
  });
  const { body } = await claimlink.handle({ method: 'GET', url: url.slice(PUBLIC_URL.length), headers: {} });
  const nonce = /nonce="([^"]+)"/.exec(body)?.[1];
  const nameOf = new Map([...Object.entries(MARKS).map(([name, mark]) => [mark, name]), [nonce, 'nonce']]);
  const pattern = new RegExp(`(${[...nameOf.keys()].map(escapeRegExp).join('|')})`);
  const split = body.split(pattern);
  return {
    parts: split.filter((_, index) => index % 2 === 0),
    names: split.filter((_, index) => index % 2 === 1).map((mark) => nameOf.get(mark)),
  };
}

function escapeRegExp(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
