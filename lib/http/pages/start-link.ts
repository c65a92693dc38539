// Tells the host that a person fills in the form of a link.
import { emptyResponse } from '../messages.js';
import type { FormAction } from './page-action.js';

/** Reads a form that says that a person fills in the form. */
export const startLink: FormAction = ({ service, recipients }, { request }, verified, form) => ({
  async run() {
    if (verified.session === undefined)
      await service.startLink(verified, recipients.prove(request, verified, form));
    return { response: emptyResponse() };
  },
});
