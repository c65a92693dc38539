// Each schema and its hand-written interface have the same type. `tsc -p tsconfig.json` checks it; here they only load.
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import type { ClaimField } from '../../lib/core/claim-fields.js';
import type { Problem, REQUEST_RULES, RESPONSE_CODES } from '../../lib/core/errors.js';
import type { claimSubmissionSchema, linkRequestSchema, storedClaimSchema } from '../../lib/core/schemas.js';
import type {
  ClaimSubmission,
  LinkRequest,
  PolicyPrefill,
  Session,
  SessionNotice,
  Submission,
} from '../../lib/core/types.js';
import type { ProblemResponse } from '../../lib/http/messages.js';
import type {
  linkResponseSchema,
  problemSchema,
  sessionListSchema,
  sessionSchema,
  submissionResponseSchema,
} from '../../lib/http/response-schemas.js';
import { type Equal, expectAll } from './equality.js';

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

/** A session on the wire: the members that every session has, with dates as strings. */
type Listed<T> = T extends Date
  ? string
  : T extends readonly (infer E)[]
    ? readonly Listed<E>[]
    : T extends object
      ? { [K in keyof T as undefined extends T[K] ? never : K]: Listed<T[K]> }
      : T;

type WireSession = Listed<Session>;

/** A problem on the wire: only codes and rules that a response can have. */
type WireProblem = Omit<ProblemResponse, 'code' | 'errors' | 'retryAfterSeconds'> & {
  code: (typeof RESPONSE_CODES)[number];
  errors?: readonly (Omit<Problem, 'rule'> & { rule: (typeof REQUEST_RULES)[number] })[];
};

/** JSON Pointers of the members that a type has. */
type Pointers<T, P extends string = ''> = T extends readonly unknown[]
  ? P
  : T extends object
    ? { [K in keyof T & string]-?: Pointers<NonNullable<T[K]>, `${P}/${K}`> }[keyof T & string]
    : P;

/** The fields of `FIELDS` that a type lacks, or true. The error of a missing member names its field. */
type HasFields<T, F extends string = ClaimField> = [Exclude<F, Pointers<T>>] extends [never]
  ? true
  : Exclude<F, Pointers<T>>;

/** Each field of the claim is a member of the interfaces. */
expectAll<{
  'a field that ClaimSubmission lacks': HasFields<Pick<ClaimSubmission, 'policy' | 'incident'>>;
  'a field that PolicyPrefill lacks': HasFields<
    { policy: PolicyPrefill },
    Extract<ClaimField, `/policy/${string}`>
  >;
  'a field that Session lacks': HasFields<{
    policy: Session['selectedPolicy'];
    incident: Session['incident'];
  }>;
}>();

/** Each schema and its interface have the same type. */
expectAll<{
  'a member of the link request in one only': Equal<Of<typeof linkRequestSchema>, Shape<LinkRequest>>;
  'a member of the claim in one only': Equal<Of<typeof claimSubmissionSchema>, Shape<ClaimSubmission>>;
  'a member of a session that the host adds in one only': Equal<
    Of<typeof storedClaimSchema>,
    Shape<
      Pick<Session, 'selectedPolicy' | 'incident' | 'extra' | 'link'> & { notice?: Omit<SessionNotice, 'at'> }
    >
  >;
  'a member of the listing in one only': Equal<Of<typeof sessionSchema>, Shape<WireSession>>;
  'the listing as a top-level array': Equal<Of<typeof sessionListSchema>, readonly Shape<WireSession>[]>;
  'the response of the link endpoint': Equal<Of<typeof linkResponseSchema>, { data: string }>;
  'the response to a claim posted as JSON': Equal<
    Of<typeof submissionResponseSchema>,
    {
      data: Shape<
        Pick<Submission, 'reference' | 'redirectUrl' | 'unchanged'> & {
          date: string;
          repeated?: boolean;
          page?: string;
          style?: string;
          script?: string;
        }
      >;
    }
  >;
  'a member of a problem in one only': Equal<Of<typeof problemSchema>, Shape<WireProblem>>;
}>();

/** The comparison distinguishes different types. */
expectAll<{
  'a missing member goes unnoticed': Equal<
    Equal<Of<typeof linkRequestSchema>, Shape<Omit<LinkRequest, 'callbackOnSubmit'>>>,
    false
  >;
  'an optional member goes unnoticed': Equal<Equal<Shape<{ a: string }>, Shape<{ a?: string }>>, false>;
  'a wider type goes unnoticed': Equal<Equal<Shape<{ a: string }>, Shape<{ a: string | number }>>, false>;
  'open schemas are compared as open': Equal<Shape<{ a: string; [key: string]: unknown }>, { a: string }>;
}>();
