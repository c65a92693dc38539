// Creates what the form of a client asks beside the default form, for the seeder.
import type { Faker } from '@faker-js/faker';
import { type ClaimField, type FieldShape, membersBelow, needOf } from '../../lib/core/claim-fields.js';
import type { ClientForm, FormQuestion, Incident, SelectedPolicy } from '../../lib/index.js';

/** Returns a policy without the members that the form of a client does not ask for. */
export function askedPolicy(policy: SelectedPolicy, form: ClientForm): SelectedPolicy {
  const asked = (field: ClaimField, text: string): string => (needOf(form, field) === 'hidden' ? '' : text);
  return {
    ...policy,
    number: asked('/policy/number', policy.number),
    provider: asked('/policy/provider', policy.provider),
    validFrom: asked('/policy/validFrom', policy.validFrom),
    validTo: asked('/policy/validTo', policy.validTo),
    vehicle: { licensePlate: asked('/policy/vehicle/licensePlate', policy.vehicle.licensePlate) },
  };
}

/** Returns the members of an incident that the form of a client asks for, and an answer to each of its questions. */
export function formAnswers(faker: Faker, form: ClientForm, date: string): Partial<Incident> {
  const { incidentTypes = [], questions = [] } = form;
  const asks = (field: ClaimField): boolean => needOf(form, field) !== 'hidden';
  // The order is part of the seed.
  const type = asks('/incident/type') ? faker.helpers.arrayElement(incidentTypes).key : undefined;
  const members = membersBelow(
    '/incident',
    ({ kind }, field) =>
      field === '/incident/type'
        ? type
        : asks(field)
          ? (BY_FIELD[field] ?? BY_KIND[kind])?.(faker, date)
          : undefined,
    (inner) => (Object.keys(inner).length > 0 ? inner : undefined),
  );
  return {
    ...members,
    ...(questions.length > 0 && {
      answers: Object.fromEntries(questions.map((question) => [question.key, answer(faker, question, date)])),
    }),
  };
}

function answer(faker: Faker, { kind, options = [] }: FormQuestion, date: string): string | boolean {
  if (kind === 'boolean') return faker.datatype.boolean();
  if (kind === 'choice') return faker.helpers.arrayElement(options).key;
  return kind === 'date' ? date : 'An example of an answer.';
}

type Create = (faker: Faker, date: string) => string | boolean;

/** Answers by the kind of a field. */
const BY_KIND: Readonly<Partial<Record<FieldShape['kind'], Create>>> = {
  text: () => 'An example of an answer.',
  textarea: () => 'An example of an answer.',
  date: (_, date) => date,
  code: (faker) => `REF-${faker.string.numeric(6)}`,
  time: (faker) => `${String(faker.number.int({ min: 10, max: 19 }))}:30`,
  boolean: (faker) => faker.number.int(9) === 0,
};

const BY_FIELD: { readonly [field in ClaimField]?: Create } = {
  '/incident/place': (faker) => faker.helpers.arrayElement(PLACES),
  '/incident/policeReference': (faker) => `POL-${faker.string.numeric(6)}`,
  '/incident/otherVehicle/licensePlate': (faker) => `B-CL ${faker.string.numeric(4)}`,
  '/incident/otherVehicle/insurer': () => 'Example Insurance',
};

const PLACES = [
  'At home',
  'In the car park of a supermarket',
  'On the way to work',
  'At the station',
] as const;
