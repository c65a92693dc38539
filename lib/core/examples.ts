// Examples of the OpenAPI document: which fixtures show the requests and responses of each operation.
import { FIXTURES } from '../generated/examples.js';
import { ClaimlinkError, type ErrorCode } from './errors.js';
import { toProblem } from './http.js';

/** Examples by media type and name. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Examples of an operation. */
export interface OperationExamples {
  readonly body?: Examples;
  readonly response: Readonly<Record<number, Examples>>;
}

const COMMON_PROBLEMS = {
  405: problems('method-not-allowed'),
  500: problems('internal'),
  503: problems('storage-unavailable'),
};

const API_PROBLEMS = {
  401: problems('api-key-missing', 'api-key-invalid'),
  404: problems('client-not-found'),
  414: problems('uri-too-long'),
  ...COMMON_PROBLEMS,
};

const LINK_PROBLEMS = {
  404: problems('link-not-found'),
  410: problems('link-expired', 'link-revoked', 'link-submitted'),
  ...COMMON_PROBLEMS,
};

const BODY_PROBLEMS = {
  408: problems('request-timeout'),
  413: problems('body-too-large'),
  415: problems('content-type-unsupported'),
};

/** The examples of each operation, by `operationId`. */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = {
  listSessions: {
    response: {
      200: json('responses', 'listing', 'listing-empty'),
      400: problems('request-invalid-limit'),
      ...API_PROBLEMS,
    },
  },
  createLink: {
    body: json('requests', 'minimal', 'full'),
    response: {
      200: json('responses', 'link'),
      400: problems('request-invalid', 'request-aborted'),
      ...API_PROBLEMS,
      ...BODY_PROBLEMS,
    },
  },
  openLink: {
    response: { 200: page('form'), 400: problems('request-invalid-token'), ...LINK_PROBLEMS },
  },
  submitClaim: {
    body: json('submissions', 'full', 'minimal'),
    response: {
      200: { ...json('responses', 'submission', 'submission-without-redirect'), ...page('success') },
      400: problems('request-invalid-claim'),
      ...LINK_PROBLEMS,
      ...BODY_PROBLEMS,
    },
  },
};

function json(folder: string, ...names: readonly string[]): Examples {
  return { 'application/json': pick(folder, names) };
}

function page(name: string): Examples {
  return { 'text/html': pick('pages', [name]) };
}

/** Returns problems by the names of their fixtures. Without a fixture, the problem is the default one of its code. */
function problems(...names: readonly string[]): Examples {
  const examples = names.map((name) => {
    const code = name.replaceAll('-', '_') as ErrorCode;
    return [
      `problem-${name}`,
      FIXTURES['responses']?.[`problem-${name}`] ?? toProblem(new ClaimlinkError(code)),
    ];
  });
  return { 'application/problem+json': Object.fromEntries(examples) };
}

function pick(folder: string, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, FIXTURES[folder]?.[name]]));
}
