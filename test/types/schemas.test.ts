// Each schema and its hand-written interface have the same type. `tsc -p tsconfig.json` checks it; here they only load.
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import t from 'tap';
import type { Problem, REQUEST_RULES, RESPONSE_CODES } from '../../lib/core/errors.js';
import type { claimSubmissionSchema, linkRequestSchema, storedClaimSchema } from '../../lib/core/schemas.js';
import type { ClaimSubmission, LinkRequest, Session, Submission } from '../../lib/core/types.js';
import type { ProblemResponse } from '../../lib/http/messages.js';
import type {
  linkResponseSchema,
  problemSchema,
  sessionListSchema,
  sessionSchema,
  submissionResponseSchema,
} from '../../lib/http/response-schemas.js';
import { type Equal, expectTrue } from './equality.js';

/**
 * The form of a type that the tests compare: every array is read-only and every intersection flattened. The index
 * signature of an open schema is removed, because no interface names the unknown members that it allows.
 */
type Shape<T> = T extends readonly (infer E)[]
  ? readonly Shape<E>[]
  : T extends object
    ? [NamedKeys<T>] extends [never]
      ? 'any object'
      : { [K in keyof T as string extends K ? never : K]: Shape<T[K]> }
    : T;

type NamedKeys<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: K };

type Of<S extends JSONSchema> = Shape<FromSchema<S>>;

/** A session on the wire: dates as strings, and without what the contract does not document. */
type WireSession = Omit<Session, 'date' | 'createdAt' | 'incident' | 'extra' | 'link' | 'selectedPolicy'> & {
  date: string;
  createdAt: string;
  selectedPolicy: Omit<Session['selectedPolicy'], 'linkedContacts'> & {
    linkedContacts: readonly Omit<Session['selectedPolicy']['linkedContacts'][number], 'phone'>[];
  };
};

/** A problem on the wire: only codes and rules that a response can have. */
type WireProblem = Omit<ProblemResponse, 'code' | 'errors' | 'retryAfterSeconds'> & {
  code: (typeof RESPONSE_CODES)[number];
  errors?: readonly (Omit<Problem, 'rule'> & { rule: (typeof REQUEST_RULES)[number] })[];
};

t.test('each schema and its interface have the same type', async (t) => {
  expectTrue<Equal<Of<typeof linkRequestSchema>, Shape<LinkRequest>>>(
    'a member of the link request in one only',
  );
  expectTrue<Equal<Of<typeof claimSubmissionSchema>, Shape<ClaimSubmission>>>(
    'a member of the claim in one only',
  );
  expectTrue<
    Equal<
      Of<typeof storedClaimSchema>,
      Shape<Pick<Session, 'selectedPolicy' | 'incident' | 'extra' | 'link'>>
    >
  >('a member of a session that the host adds in one only');
  expectTrue<Equal<Of<typeof sessionSchema>, Shape<WireSession>>>('a member of the listing in one only');
  expectTrue<Equal<Of<typeof sessionListSchema>, readonly Shape<WireSession>[]>>(
    'the listing as a top-level array',
  );
  expectTrue<Equal<Of<typeof linkResponseSchema>, { data: string }>>('the response of the link endpoint');
  expectTrue<
    Equal<
      Of<typeof submissionResponseSchema>,
      {
        data: Shape<
          Pick<Submission, 'reference' | 'redirectUrl' | 'unchanged'> & { date: string; repeated?: boolean }
        >;
      }
    >
  >('the response to a claim posted as JSON');
  expectTrue<Equal<Of<typeof problemSchema>, Shape<WireProblem>>>('a member of a problem in one only');
  t.pass('type-checked');
});

t.test('the comparison distinguishes different types', async (t) => {
  expectTrue<Equal<Equal<Of<typeof linkRequestSchema>, Shape<Omit<LinkRequest, 'callbackOnSubmit'>>>, false>>(
    'a missing member goes unnoticed',
  );
  expectTrue<Equal<Equal<Shape<{ a: string }>, Shape<{ a?: string }>>, false>>(
    'an optional member goes unnoticed',
  );
  expectTrue<Equal<Equal<Shape<{ a: string }>, Shape<{ a: string | number }>>, false>>(
    'a wider type goes unnoticed',
  );
  expectTrue<Equal<Shape<{ a: string; [key: string]: unknown }>, { a: string }>>(
    'open schemas are compared as open',
  );
  t.pass('type-checked');
});
