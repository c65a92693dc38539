// Creates what the form of a client asks beside the default form, for the seeder.
import type { Faker } from '@faker-js/faker';
import { type ClaimField, type FieldShape, membersBelow, needOf } from '../../lib/core/claim-fields.js';
import type { ClientForm, FormQuestion, Incident, SelectedPolicy } from '../../lib/index.js';

/** Returns whether the form of a client asks for a field. The seed is older than the default of one field: it needs its name. */
const asks = (form: ClientForm, field: ClaimField): boolean =>
  needOf(form, field) !== 'hidden' && (field !== '/incident/injured' || form.fields?.[field] !== undefined);

const unlessEmpty = (members: object) => (Object.keys(members).length > 0 ? members : undefined);

/**
 * Returns a policy without the texts that the form of a client does not ask for. It gets examples of those that the form
 * asks for and the policy lacks. The holder and the contacts stay.
 */
export function askedPolicy(faker: Faker, policy: SelectedPolicy, form: ClientForm): SelectedPolicy {
  const { holder, vehicle, ...members } = membersBelow(
    '/policy',
    ({ kind }, field) => {
      const isAsked = asks(form, field);
      if (isMissing(policy, field))
        return isAsked ? example(faker, kind, field, policy.validFrom) : undefined;
      const stays = isAsked || kind === 'contacts' || field.startsWith('/policy/holder/');
      return stays ? undefined : '';
    },
    unlessEmpty,
  ) as Partial<SelectedPolicy>;
  return {
    ...policy,
    ...members,
    holder: { ...policy.holder, ...holder },
    vehicle: { ...policy.vehicle, ...vehicle },
  };
}

/** Returns whether a policy lacks the member of a field. */
function isMissing(policy: SelectedPolicy, field: ClaimField): boolean {
  const names = field.slice('/policy/'.length).split('/');
  return names.reduce<unknown>((parent, name) => Reflect.get(Object(parent), name), policy) === undefined;
}

/** Returns the members of an incident that the form of a client asks for, and an answer to each of its questions. */
export function formAnswers(faker: Faker, form: ClientForm, date: string): Partial<Incident> {
  const { incidentTypes = [], questions = [] } = form;
  // The order is part of the seed.
  const type = asks(form, '/incident/type') ? faker.helpers.arrayElement(incidentTypes).key : undefined;
  const members = membersBelow(
    '/incident',
    ({ kind }, field) => {
      if (field === '/incident/type') return type;
      return asks(form, field) ? example(faker, kind, field, date) : undefined;
    },
    unlessEmpty,
  );
  return {
    ...members,
    ...(questions.length > 0 && {
      answers: Object.fromEntries(questions.map((question) => [question.key, answer(faker, question, date)])),
    }),
  };
}

/** Returns an example of a field. */
function example(faker: Faker, kind: FieldShape['kind'], field: ClaimField, date: string) {
  return (BY_FIELD[field] ?? BY_KIND[kind])?.(faker, date);
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
  email: () => 'person@example.com',
  phone: () => '+44 20 7946 0001',
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
