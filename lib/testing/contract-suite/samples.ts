// Link requests and claims that the contract suite sends.
import { type FieldShape, membersBelow } from '../../core/claim-fields.js';
import { isRecord } from '../../core/plain-data.js';
import type { ClaimSubmission, WidgetConfig } from '../../core/types.js';
import { randomName } from './target.js';

export const JSON_TYPE = { 'content-type': 'application/json' };
export const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
/** The Accept header of a browser. */
export const WANTS_PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
export const WANTS_JSON = { accept: 'application/json' };

/** Returns a numeric user id: 15 random digits, a safe integer. */
export function randomUserNumber(): number {
  return 1e14 + (Number.parseInt(crypto.randomUUID().slice(0, 8), 16) % 9e13);
}

/** Answers by the kind of a field. The texts are short enough for each. */
const ANSWERS: Readonly<Partial<Record<FieldShape['kind'], string | boolean>>> = {
  text: 'Claimlink check',
  textarea: 'Sent by claimlink check.',
  code: 'CHECK-1',
  email: 'claimlink-check@example.com',
  phone: '+44 20 7946 0004',
  // In the past for a deployment whose clock was set back as well.
  date: '2020-01-02',
  time: '12:00',
  boolean: false,
};

/** Returns the answers to the fields of an object of the claim. */
function answersBelow<P extends 'policy' | 'incident'>(name: P) {
  return membersBelow(
    `/${name}`,
    ({ kind }) => ANSWERS[kind],
    (members) => members,
  ) as NonNullable<ClaimSubmission[P]>;
}

const { holder: holderAnswers, vehicle: vehicleAnswers, ...policyAnswers } = answersBelow('policy');

/** Every optional member of `config` except `initialStepKey`, because a deployment may restrict its values. */
export const FULL_CONFIG: Pick<WidgetConfig, 'policy' | 'privacyPolicyUrl'> = {
  policy: {
    ...policyAnswers,
    provider: 'claimlink check insurance',
    number: 'claimlink-check-prefill',
    validFrom: '2026-01-01',
    validTo: '2026-12-31',
    holder: {
      ...holderAnswers,
      firstName: 'Prefilledfirst',
      lastName: 'Prefilledlast',
      email: 'prefilled.holder@example.com',
      phone: '+44 20 7946 0001',
    },
    vehicle: { ...vehicleAnswers, licensePlate: 'PRE-F1LLED' },
    linkedContacts: [
      {
        firstName: 'Contactfirst',
        lastName: 'Contactlast',
        email: 'contact.person@example.com',
        phone: '+44 20 7946 0002',
      },
    ],
  },
  privacyPolicyUrl: 'https://example.com/claimlink-check-privacy',
};

/** A claim with every member that the form of a client can require, but for its own lists and questions. */
export interface SampleClaim extends ClaimSubmission {
  policy: ClaimSubmission['policy'] & { holder: object };
}

/** Returns a complete claim with a policy number that no other claim has, or the claim of the host with another description. */
export function sampleClaim(accepted?: ClaimSubmission): SampleClaim {
  if (accepted !== undefined) {
    const { policy, incident } = structuredClone(accepted);
    const description = `${incident?.description ?? 'Sent by claimlink check.'} (${randomName()})`;
    return {
      ...accepted,
      policy: { ...policy, holder: policy.holder ?? {} },
      incident: { ...incident, description },
    };
  }
  return {
    policy: {
      ...policyAnswers,
      number: `claimlink-check-${randomName()}`,
      provider: 'Claimlink "Check" & Söhne',
      holder: {
        ...holderAnswers,
        firstName: 'Zoë',
        lastName: "O'Check",
        phone: '+44 20 7946 0003',
        email: 'claimlink-check.holder@example.com',
      },
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      linkedContacts: [{ firstName: 'Max', lastName: 'Muster', email: 'max@example.com', phone: '+44 1' }],
      vehicle: { ...vehicleAnswers, licensePlate: 'B-CL 2026' },
    },
    incident: answersBelow('incident'),
  };
}

/** Encodes a claim as the fields of the built-in form. The name of a field is its JSON Pointer. */
export function formOf(claim: ClaimSubmission): string {
  const fields = new URLSearchParams();
  const add = (value: unknown, pointer: string): void => {
    if (!isRecord(value)) fields.append(pointer, String(value));
    else for (const [name, member] of Object.entries(value)) add(member, `${pointer}/${name}`);
  };
  add(claim, '');
  return fields.toString();
}

/** Returns the selectedPolicy that a listing must contain for a claim. What the claim leaves out is an empty text. */
export function expectedPolicy({ policy }: ClaimSubmission, userId: string) {
  const { number, provider, validFrom, validTo, holder, linkedContacts, vehicle } = policy;
  const { firstName = '', lastName = '', id = userId, phone = '', email = '' } = holder ?? {};
  return {
    number,
    provider,
    holder: { firstName, lastName, id, phone, email },
    validFrom,
    validTo,
    // A listing does not show the phone numbers of contacts.
    linkedContacts: linkedContacts?.map(({ phone: _, ...contact }) => ({ email: '', ...contact })),
    vehicle: vehicle && { licensePlate: vehicle.licensePlate ?? '' },
  };
}
