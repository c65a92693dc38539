// The script of the page. `globalThis.config` has the URL of the API, the client and the user.
import { createClaimsClient } from '/claims-client.mjs';

const { user, ...client } = globalThis.config;
const claims = createClaimsClient({ ...client, retries: 0 });
const find = (id) => document.getElementById(id);

/** The policy of the user, which the application knows. The form starts with it. */
const POLICY = {
  provider: 'Example Insurance',
  number: 'KFZ-2026-001',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  holder: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '+49 30 123456' },
  vehicle: { licensePlate: 'B-AL 1815' },
};

/** Runs an action and shows a failure. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    find('status').textContent = `Please try again later (${error.status ?? 'no response'}).`;
  }
}

async function showClaims() {
  const sessions = await claims.listSessions(user);
  find('claims').replaceChildren(
    ...sessions.map(({ reference, status }) => {
      const item = document.createElement('li');
      item.textContent = `${reference}: ${status}`;
      return item;
    }),
  );
  find('status').textContent = `${sessions.length} claims`;
}

async function showLink() {
  const link = document.createElement('a');
  link.href = await claims.createLink(user, `${location.origin}/`, POLICY);
  link.target = '_blank';
  link.textContent = 'Open the form';
  find('link').replaceChildren(link);
}

find('report').addEventListener('click', () => attempt(showLink));
attempt(showClaims);
