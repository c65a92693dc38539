// Opens claims in the claims system, one for each event.
import { toFnol } from './fnol.mjs';

const ALREADY_EXECUTED = 'gw.api.webservice.exception.AlreadyExecutedException';
/** Shorter than an attempt of claimlink, which may take 60 seconds. */
const TIMEOUT_MS = 30_000;

/** `url` is the base of the Cloud API, with a slash at its end: `https://cc.example.com/rest/`. */
export function createClaimsSystem({ url, token }) {
  const endpoint = new URL('composite/v1/composite', url);
  return {
    /**
     * Opens the claim of an event. However often it is called, there is one claim. Returns whether an earlier call opened it.
     * @throws an error with a code if it is not certain that there is a claim. Its text has nothing of the response, which may
     * repeat personal data.
     */
    async openClaim(event) {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'gw-dbtransaction-id': event.id,
        },
        body: JSON.stringify(toFnol(event)),
        redirect: 'error', // a claim goes to no other server
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.ok) {
        await response.body?.cancel();
        return { isRepeated: false };
      }
      const { error } = await response.json().catch(() => ({}));
      // An earlier attempt has opened the claim, and its response was lost. The text of an error may contain what the user wrote,
      // so only its code counts.
      if (response.status === 400 && error?.errorCode === ALREADY_EXECUTED) return { isRepeated: true };
      const message = `The claims system responded with ${response.status}.`;
      throw Object.assign(new Error(message), { code: `HTTP_${response.status}` });
    },
  };
}
