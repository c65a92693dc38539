// The fields of a form that are a claim: without those of its action.
import { isOwnForm } from '../body.js';
import type { CoreRequest } from '../messages.js';

/** Name of the field with the proof of a form without cookies. */
export const PROOF = 'proof';

/** Name of the field with the names of photos, by their ids. */
export const PHOTO_NAMES = 'photoNames';

/** Returns a copy of a form without some fields. */
export function withoutFields(form: URLSearchParams, ...names: readonly string[]): URLSearchParams {
  const fields = new URLSearchParams(form);
  for (const name of names) fields.delete(name);
  return fields;
}

/** Returns the fields of a claim. A form that asks for another link may have them as well; other forms have none. */
export function claimFieldsOf(form: URLSearchParams): URLSearchParams | undefined {
  if (!['submit', 'renew'].includes(form.get('action') ?? 'submit')) return undefined;
  return nonEmpty(withoutFields(form, 'action', PROOF));
}

/** Returns the claim that the page of a question sends along: its user had sent it without an answer. */
export function claimBesideAnswer(request: CoreRequest, form: URLSearchParams): URLSearchParams | undefined {
  return isOwnForm(request) ? nonEmpty(withoutFields(form, 'action', 'answer', PROOF)) : undefined;
}

function nonEmpty(fields: URLSearchParams): URLSearchParams | undefined {
  return [...fields].length > 0 ? fields : undefined;
}

/** Header with the proof of a form without cookies, for a request without fields. */
export const PROOF_HEADER = 'claimlink-proof';
