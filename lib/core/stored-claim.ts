// The claim as its session holds it.
import { isDeepStrictEqual } from 'node:util';
import { CODE_MEMBERS } from './claim-fields.js';
import { withoutInvisible } from './claim-rules.js';
import { isClaimlinkError } from './errors.js';
import type { LinkWithClient } from './storage.js';
import type {
  AcceptedClaim,
  ClaimSubmission,
  Incident,
  Link,
  SelectedPolicy,
  Session,
  SessionLink,
} from './types.js';
import { parseClaimSubmission } from './validators.js';

/** Returns what a session keeps of the link that created it. `config` loses its `extra` with the submission. */
export function toSessionLink({ accessCodeHash, config: { extra } }: Link): SessionLink {
  return { linkId: accessCodeHash, ...(extra && { extra }) };
}

/** Returns whether a claim must confirm the privacy policy: the client asks for it, and the link names one. */
export function mustAccept({ link, client }: LinkWithClient): boolean {
  return client.settings?.form?.noticeConfirmation === true && link.config.privacyPolicyUrl !== undefined;
}

/** Returns the notice of a session that is submitted at this time. `config` loses the URL with the submission. */
export function noticeOf(
  { config: { privacyPolicyUrl: url } }: Link,
  at: Date,
  isAccepted = false,
): Pick<Session, 'notice'> {
  return url === undefined ? {} : { notice: { url, at, ...(isAccepted && { accepted: true }) } };
}

/** The members of a session that hold the claim. */
export type StoredClaim = Pick<Session, 'selectedPolicy' | 'incident' | 'extra'>;

export function toStoredClaim({ policy, incident, extra }: AcceptedClaim, userId: string): StoredClaim {
  return {
    selectedPolicy: toSelectedPolicy(policy, userId),
    ...(incident && { incident }),
    ...(extra && { extra }),
  };
}

/** Returns whether a claim is the one that a session holds, apart from its photos. A claim that is not valid is another one. */
export function isStoredClaim(
  { selectedPolicy, incident, extra }: Session,
  body: unknown,
  { client, link }: LinkWithClient,
  time: Date,
): boolean {
  try {
    const claim = toStoredClaim(parseClaimSubmission(body, time, client.settings?.form), link.userId);
    if (incident?.photos === undefined)
      return isDeepStrictEqual(asJson(claim), asJson({ selectedPolicy, incident, extra }));
    return isDeepStrictEqual(
      asJson({ ...claim, incident: withoutPhotos(claim.incident) }),
      asJson({ selectedPolicy, incident: withoutPhotos(incident), extra }),
    );
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'request_invalid') return false;
    throw error;
  }
}

/** Returns an incident without its photos, or undefined if it has nothing else. */
function withoutPhotos(incident: Incident | undefined): Omit<Incident, 'photos'> | undefined {
  const { photos: _, ...others } = incident ?? {};
  return Object.keys(others).length > 0 ? others : undefined;
}

/**
 * Returns plain objects without undefined members, as JSON has them. A storage may return others. Older versions stored the
 * invisible characters of codes.
 */
function asJson({ selectedPolicy, incident, extra }: Partial<Record<keyof StoredClaim, unknown>>): unknown {
  const cleaned = (name: string, member: unknown) =>
    CODE_MEMBERS.has(name) && typeof member === 'string' ? withoutInvisible(member) || undefined : member;
  return JSON.parse(
    JSON.stringify([JSON.parse(JSON.stringify({ selectedPolicy, incident }, cleaned)), extra]),
  );
}

/**
 * Returns the policy of a claim as the session of this user has it. A listed text that the user left out is empty, and
 * another member absent.
 */
export function toSelectedPolicy(
  { holder, linkedContacts = [], vehicle, ...members }: ClaimSubmission['policy'],
  userId: string,
): SelectedPolicy {
  return {
    number: '',
    provider: '',
    holder: { firstName: '', lastName: '', id: userId, phone: '', email: '', ...holder },
    validFrom: '',
    validTo: '',
    linkedContacts: linkedContacts.map((contact) => ({ ...contact, email: contact.email ?? '' })),
    vehicle: { licensePlate: '', ...vehicle },
    ...members,
  };
}
