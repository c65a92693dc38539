// Examples of the OpenAPI document. A test holds each of them equal to the file in fixtures/ that has its name.
import { ClaimlinkError, type ErrorCode, type ErrorDetail } from './errors.js';
import { type Problem, toProblem } from './http.js';
import type { ClaimSubmission, LinkRequest } from './types.js';

/** Examples by media type and name. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Examples of an operation. */
export interface OperationExamples {
  readonly body?: Examples;
  readonly response: Readonly<Record<number, Examples>>;
}

const JSON_TYPE = 'application/json';
const HTML_TYPE = 'text/html';

const LINK_REQUESTS: Readonly<Record<string, LinkRequest>> = {
  minimal: {
    callbackUrl: 'https://app.acme.example/claims/done',
    config: {
      contact: { email: 'claims@acme.example', phone: '+44 20 7946 0100' },
      currentUserId: 'user-1',
    },
  },
  full: {
    callbackUrl: 'https://app.acme.example/claims/done?reference={SESSION_REFERENCE}&status={STATUS}',
    callbackOnSubmit: true,
    config: {
      contact: { email: 'claims@acme.example', phone: '+44 20 7946 0100', link: 'https://acme.example/help' },
      currentUserId: 'user-1',
      policy: {
        provider: 'Acme Insurance',
        number: 'P-2026-000123',
        validTo: '2026-12-31',
        validFrom: '2026-01-01',
        holder: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          email: 'ada.lovelace@mail.example',
          phone: '+44 20 7946 0200',
        },
        vehicle: { licensePlate: 'AB12 CDE' },
        linkedContacts: [
          {
            firstName: 'Grace',
            lastName: 'Hopper',
            email: 'grace.hopper@mail.example',
            phone: '+1 202 555 0143',
          },
        ],
      },
      initialStepKey: 'incident',
      privacyPolicyUrl: 'https://acme.example/privacy',
    },
  },
};

const CLAIMS: Readonly<Record<string, ClaimSubmission>> = {
  full: {
    policy: {
      number: 'P-2026-000123',
      provider: 'Acme Insurance',
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      holder: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        id: 'user-1',
        phone: '+44 20 7946 0200',
        email: 'ada.lovelace@mail.example',
      },
      linkedContacts: [
        {
          firstName: 'Grace',
          lastName: 'Hopper',
          email: 'grace.hopper@mail.example',
          phone: '+1 202 555 0143',
        },
      ],
      vehicle: { licensePlate: 'AB12 CDE' },
    },
    incident: {
      date: '2026-02-28',
      description: 'Hail damaged the roof and the bonnet while the car stood in the street.',
    },
  },
  minimal: {
    policy: {
      number: 'P-2026-000123',
      provider: 'Acme Insurance',
      validFrom: '2026-01-01',
      validTo: '2026-12-31',
      holder: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        phone: '+44 20 7946 0200',
        email: 'ada.lovelace@mail.example',
      },
      vehicle: { licensePlate: 'AB12 CDE' },
    },
  },
};

const LISTINGS = {
  listing: [
    {
      reference: 'S-8K2M9P4T6W1X3Z5B',
      date: '2026-03-02T10:15',
      camsReference: 'C-7J1N8Q3S5V0W2Y4A',
      status: 'submitted',
      createdAt: '2026-03-02T10:00',
      selectedPolicy: {
        number: 'P-2026-000123',
        provider: 'Acme Insurance',
        holder: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          id: 'user-1',
          phone: '+44 20 7946 0200',
          email: 'ada.lovelace@mail.example',
        },
        validFrom: '2026-01-01',
        validTo: '2026-12-31',
        linkedContacts: [{ firstName: 'Grace', lastName: 'Hopper', email: 'grace.hopper@mail.example' }],
        vehicle: { licensePlate: 'AB12 CDE' },
      },
    },
    {
      reference: 'S-4D6F8H0J2K4M6N8P',
      date: '2026-01-20T08:05',
      camsReference: 'C-3C5E7G9J1K3M5N7Q',
      status: 'submitted',
      createdAt: '2026-01-20T07:58',
      selectedPolicy: {
        number: 'P-2026-000123',
        provider: 'Acme Insurance',
        holder: {
          firstName: 'Ada',
          lastName: 'Lovelace',
          id: 'user-1',
          phone: '+44 20 7946 0200',
          email: 'ada.lovelace@mail.example',
        },
        validFrom: '2026-01-01',
        validTo: '2026-12-31',
        linkedContacts: [],
        vehicle: { licensePlate: 'AB12 CDE' },
      },
    },
  ],
  'listing-empty': [],
};

const LINK = {
  link: {
    data: 'https://claims.example.com/verify/q3Zr8vT2kXw5nYb7LmPc1A?token=eyJhbGciOiJIUzI1NiIsInR5cCI6ImNsYWltLWxpbmsrand0Iiwia2lkIjoiMSJ9.eyJqdGkiOiJxM1pyOHZUMmtYdzVuWWI3TG1QYzFBIn0.not-a-real-signature',
  },
};

const SUBMISSIONS = {
  submission: {
    data: {
      reference: 'S-8K2M9P4T6W1X3Z5B',
      redirectUrl: 'https://app.acme.example/claims/done',
    },
  },
  'submission-without-redirect': {
    data: {
      reference: 'S-8K2M9P4T6W1X3Z5B',
    },
  },
};

/** Shortened: a page of the widget has some 20 kB. */
const PAGES = {
  form: '<!doctype html><html lang="en"><title>Submit a claim</title><form method="post">…</form></html>',
  success:
    '<!doctype html><html lang="en"><title>Claim submitted</title><p>Your reference is S-8K2M9P4T6W1X3Z5B.</p></html>',
};

const BODY_INVALID = 'The request body is not valid; see errors.';

/** Statuses of both documented endpoints. */
const API_PROBLEMS = {
  401: problems(
    problem('api_key_missing', 'Send the API key in the x-api-key header.'),
    problem('api_key_invalid', 'The API key is unknown, expired, revoked or not for this client.'),
  ),
  404: problems(problem('client_not_found')),
  414: problems(problem('uri_too_long', 'The parameter userId must not be longer than 100 characters.')),
};

/** Statuses of every operation. */
const SERVER_PROBLEMS = {
  500: problems(problem('internal')),
  503: problems(problem('storage_unavailable')),
};

/** Statuses of both pages. */
const LINK_PROBLEMS = {
  404: problems(problem('link_not_found')),
  410: problems(problem('link_expired'), problem('link_revoked'), problem('link_submitted')),
};

/** Statuses of operations with a request body. */
const BODY_PROBLEMS = {
  408: problems(problem('request_timeout')),
  413: problems(problem('body_too_large')),
  415: problems(problem('content_type_unsupported', 'Send the body with Content-Type: application/json.')),
};

/** The examples of each operation, by `operationId`. */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = {
  listSessions: {
    response: {
      200: { [JSON_TYPE]: LISTINGS },
      400: invalid('limit', 'The parameter limit must be a whole number from 1 to 1000.', [
        { parameter: 'limit', rule: 'limit', detail: 'must be a whole number from 1 to 1000' },
      ]),
      ...API_PROBLEMS,
      ...SERVER_PROBLEMS,
    },
  },
  createLink: {
    body: { [JSON_TYPE]: LINK_REQUESTS },
    response: {
      200: { [JSON_TYPE]: LINK },
      400: problems(
        problem('request_invalid', BODY_INVALID, [
          { pointer: '/callbackUrl', rule: 'required', detail: 'is required' },
          { pointer: '/config/contact/email', rule: 'email', detail: 'must be an e-mail address' },
        ]),
        problem('request_aborted'),
      ),
      ...API_PROBLEMS,
      ...BODY_PROBLEMS,
      ...SERVER_PROBLEMS,
    },
  },
  openLink: {
    response: {
      200: { [HTML_TYPE]: { form: PAGES.form } },
      400: invalid('token', 'The parameter token must not be given more than once.', [
        { parameter: 'token', rule: 'repeated', detail: 'must not be given more than once' },
      ]),
      ...LINK_PROBLEMS,
      ...SERVER_PROBLEMS,
    },
  },
  submitClaim: {
    body: { [JSON_TYPE]: CLAIMS },
    response: {
      200: { [JSON_TYPE]: SUBMISSIONS, [HTML_TYPE]: { success: PAGES.success } },
      400: invalid('claim', BODY_INVALID, [
        { pointer: '/policy/holder/phone', rule: 'required', detail: 'is required' },
        { pointer: '/policy/validTo', rule: 'date_order', detail: 'must not be before validFrom' },
      ]),
      ...LINK_PROBLEMS,
      ...BODY_PROBLEMS,
      ...SERVER_PROBLEMS,
    },
  },
};

function problem(code: ErrorCode, detail?: string, errors?: readonly ErrorDetail[]): Problem {
  return toProblem(new ClaimlinkError(code, detail, errors && { details: errors }));
}

function problems(...values: readonly Problem[]): Examples {
  const named = values.map((value) => [`problem-${value.code.replaceAll('_', '-')}`, value]);
  return { 'application/problem+json': Object.fromEntries(named) };
}

/** Returns an example of `request_invalid` for a certain part of a request. */
function invalid(part: string, detail: string, errors: readonly ErrorDetail[]): Examples {
  const value = problem('request_invalid', detail, errors);
  return { 'application/problem+json': { [`problem-request-invalid-${part}`]: value } };
}
