// The widget: a form over the configuration that the page contains. It posts the claim to the URL of the page.

const REDIRECT_DELAY_MS = 3000;
/** Shown if no response says what became of the claim. If it was stored, the next attempt gets its reference. */
const UNKNOWN = 'We do not know whether the claim arrived. Send it again: a claim is never taken twice.';

const { contact, policy = {}, extra = {} } = JSON.parse(document.querySelector('#config').textContent);

/** Input fields. The name of a field is the path of its member in the claim. */
const FIELDS = [
  { name: 'policy.provider', label: 'Insurer', value: policy.provider },
  { name: 'policy.number', label: 'Policy number', value: policy.number },
  { name: 'policy.validFrom', label: 'Valid from', value: policy.validFrom, type: 'date' },
  { name: 'policy.validTo', label: 'Valid to', value: policy.validTo, type: 'date' },
  { name: 'policy.vehicle.licensePlate', label: 'License plate', value: policy.vehicle?.licensePlate },
  {
    name: 'policy.holder.firstName',
    label: 'First name',
    value: policy.holder?.firstName,
    autocomplete: 'given-name',
  },
  {
    name: 'policy.holder.lastName',
    label: 'Last name',
    value: policy.holder?.lastName,
    autocomplete: 'family-name',
  },
  {
    name: 'policy.holder.phone',
    label: 'Phone',
    value: policy.holder?.phone,
    type: 'tel',
    autocomplete: 'tel',
  },
  {
    name: 'policy.holder.email',
    label: 'E-mail',
    value: policy.holder?.email,
    type: 'email',
    autocomplete: 'email',
  },
];

/** Creates an element. Text stays text: the browser does not parse it as HTML. */
function element(tag, properties = {}, ...children) {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

/** Returns the garages of the region that the host named in `config.extra`. */
async function loadGarages() {
  try {
    const response = await fetch(new URL('garages.json', import.meta.url));
    const garages = await response.json();
    return garages.filter(({ region }) => region === extra.garageRegion);
  } catch {
    return []; // the form works without a choice of garages
  }
}

const inputs = FIELDS.map(({ name, value = '', type = 'text', autocomplete = 'off' }) =>
  element('input', { name, value, type, autocomplete, required: true }),
);
const garage = element('select', {}, element('option', { value: '' }, 'No preference'));
for (const { id, name } of await loadGarages()) garage.append(element('option', { value: id }, name));
const button = element('button', {}, 'Send claim');
const state = element('p', { role: 'status' });
const form = element(
  'form',
  {},
  ...inputs.map((input, index) => element('label', {}, FIELDS[index].label, input)),
  element('label', {}, 'Garage', garage),
  button,
);
const help = element('p', {}, `Questions? Call ${contact.phone}.`);
const picture = element('img', { src: new URL('car.svg', import.meta.url), alt: '' });
document.querySelector('main').append(picture, form, state, help);

/** Returns the claim. Its `extra` has the data of the host, and the choice of the user. */
function readClaim() {
  const claim = { extra: { ...extra, ...(garage.value !== '' && { garage: garage.value }) } };
  for (const { name, value } of inputs) {
    const path = name.split('.');
    const last = path.pop();
    let parent = claim;
    for (const step of path) {
      parent[step] ??= {};
      parent = parent[step];
    }
    parent[last] = value;
  }
  return claim;
}

/** Shows each problem at its field, and the others below the form. */
function showProblems({ detail, errors = [] }) {
  const others = [];
  for (const problem of errors) {
    const name = problem.pointer?.slice(1).replaceAll('/', '.');
    const input = inputs.find((candidate) => candidate.name === name);
    if (input === undefined) others.push(problem.detail);
    else input.setCustomValidity(`${input.labels[0].firstChild.data} ${problem.detail}`);
  }
  state.textContent = [detail, ...others].join(' ');
  form.reportValidity();
}

function showResult({ reference, redirectUrl, unchanged }) {
  if (unchanged === false) {
    const call = `Call ${contact.phone}, and tell us what has changed.`;
    state.textContent = `A claim was already sent with this link. This one differs from it, and was not taken. ${call}`;
    return;
  }
  form.remove();
  picture.remove();
  state.textContent = `Thank you. Your reference is ${reference}.`;
  // Absent if the client no longer allows the origin of its callback.
  if (redirectUrl === undefined) return;
  help.before(element('p', {}, element('a', { href: redirectUrl }, 'Continue')));
  setTimeout(() => location.assign(redirectUrl), REDIRECT_DELAY_MS);
}

// A field whose problem the service reported is valid again when the user changes a field.
form.addEventListener('input', () => {
  for (const input of inputs) input.setCustomValidity('');
});

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  state.textContent = 'Sending…';
  try {
    const response = await fetch(location.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(readClaim()),
    });
    const body = await response.json();
    if (response.ok) showResult(body.data);
    // Another server may have answered, after the claim was stored.
    else if (response.status >= 500 || !/^urn:claimlink:problem:/.test(body.type))
      state.textContent = UNKNOWN;
    else showProblems(body);
  } catch {
    state.textContent = UNKNOWN;
  }
  button.disabled = false;
});
