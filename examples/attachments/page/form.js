// The form: uploads each photo when it is chosen, shows a preview, and names the stored photos in the claim.

/** Shown if no response says what became of the claim. If it was stored, the next attempt gets its reference. */
const UNKNOWN = 'We do not know whether the claim arrived. Send it again: a claim is never taken twice.';

const { contact, policy, limits } = JSON.parse(document.querySelector('#config').textContent);
const form = document.querySelector('form');
const list = form.querySelector('ul');
const button = form.querySelector('button');
const state = document.querySelector('[role=status]');
const accessCode = location.pathname.split('/').at(-1);
const uploadUrl = `/photos/${accessCode}`;
const headers = { authorization: `Bearer ${new URLSearchParams(location.search).get('token')}` };

/** The photos of the list: `sha256` of those that are stored. */
const photos = new Set();
/** Number of choices of files that are being uploaded. */
let uploads = 0;

/** Creates an element. Text stays text: the browser does not parse it as HTML. */
function element(tag, properties = {}, ...children) {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

/** Returns the text of a response that is no success, or what to say without a response. */
async function reasonOf(response) {
  const { detail } = (await response?.json().catch(() => undefined)) ?? {};
  return detail ?? 'We could not store the photo. Remove it, and try again.';
}

async function upload(file, photo) {
  if (file.size > limits.bytes) return `A photo has at most ${limits.bytes / 1024 / 1024} MB.`;
  const response = await fetch(uploadUrl, { method: 'POST', headers, body: file }).catch(() => undefined);
  if (!response?.ok) return reasonOf(response);
  photo.sha256 = (await response.json()).sha256;
  return 'Stored';
}

async function addPhoto(file) {
  const photo = {};
  photos.add(photo);
  const preview = element('img', { src: URL.createObjectURL(file), alt: '' });
  const text = element('span', { role: 'status' }, 'Uploading…');
  const remove = element(
    'button',
    { type: 'button', disabled: true, ariaLabel: `Remove ${file.name}` },
    'Remove',
  );
  const item = element('li', {}, preview, element('span', {}, file.name), text, remove);
  list.append(item);
  remove.addEventListener('click', () => {
    photos.delete(photo);
    item.remove();
    URL.revokeObjectURL(preview.src);
    const isShared = [...photos].some(({ sha256 }) => sha256 === photo.sha256);
    // If this fails, the claim does not name the photo, and the host removes it then.
    if (photo.sha256 && !isShared)
      fetch(`${uploadUrl}/${photo.sha256}`, { method: 'DELETE', headers }).catch(() => {});
  });
  text.textContent = await upload(file, photo);
  if (photo.sha256 === undefined) photos.delete(photo);
  remove.disabled = false;
}

form.elements.photos.addEventListener('change', async ({ target }) => {
  const files = [...target.files];
  target.value = ''; // the same file may be chosen again
  uploads++;
  button.disabled = true;
  for (const file of files) await addPhoto(file);
  uploads--;
  button.disabled = uploads > 0;
});

function showResult({ reference, redirectUrl, unchanged }) {
  if (unchanged === false) {
    state.textContent = `A claim was already sent with this link. This one was not taken. Call ${contact.phone}.`;
    return;
  }
  form.remove();
  state.textContent = `Thank you. Your reference is ${reference}.`;
  if (redirectUrl !== undefined)
    state.after(element('p', {}, element('a', { href: redirectUrl }, 'Continue')));
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  state.textContent = 'Sending…';
  const { date, description } = form.elements;
  const hashes = [...new Set([...photos].map(({ sha256 }) => sha256))];
  try {
    const response = await fetch(location.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        policy,
        incident: { date: date.value, description: description.value },
        extra: { photos: hashes },
      }),
    });
    const body = await response.json();
    if (response.ok) showResult(body.data);
    // Another server may have answered, after the claim was stored.
    else if (response.status >= 500 || !/^urn:claimlink:problem:/.test(body.type))
      state.textContent = UNKNOWN;
    else
      state.textContent = [
        body.detail,
        ...(body.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`),
      ].join(' ');
  } catch {
    state.textContent = UNKNOWN;
  }
  button.disabled = false;
});

form.hidden = false;
