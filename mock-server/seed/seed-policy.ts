// Creates policies and people for the seeder: holders, linked contacts, cars, validity.
import type { Faker } from '@faker-js/faker';
import type { Holder, LinkedContact, SelectedPolicy, WidgetContact } from '../../lib/index.js';
import type { Country } from './seed-countries.js';

/** A policy with its first and last day of validity, in days since 1970. */
export interface SeededPolicy {
  policy: SelectedPolicy;
  fromDay: number;
  toDay: number;
}

/** Creates the policies of one user, with one holder. At the reference day some are valid and some have ended. */
export function createPolicies(
  faker: Faker,
  country: Country,
  { count, userId, refDay }: { count: number; userId: string; refDay: number },
): SeededPolicy[] {
  const name = createName(faker, country);
  const holder: Holder = {
    ...name,
    id: userId,
    phone: fill(faker, faker.helpers.arrayElement(country.phones)),
    email: createEmail(faker, name),
  };
  return Array.from({ length: count }, () => {
    const fromDay = refDay - faker.number.int({ min: 30, max: 1500 });
    const years = faker.helpers.arrayElement([1, 1, 1, 2, 3, 5]);
    const toDay = dayBeforeAnniversary(fromDay, years);
    const insurer = faker.helpers.arrayElement(country.insurers);
    const policy: SelectedPolicy = {
      number: fill(faker, insurer.policyNumber),
      provider: insurer.name,
      holder,
      validFrom: toCalendarDate(fromDay),
      validTo: toCalendarDate(toDay),
      linkedContacts: createLinkedContacts(faker, country),
      vehicle: { licensePlate: fill(faker, faker.helpers.arrayElement(country.licensePlates)) },
    };
    return { policy, fromDay, toDay };
  });
}

/** Creates the contact of a client's claims department. */
export function createWidgetContact(faker: Faker, country: Country): WidgetContact {
  return {
    email: `claims@${faker.helpers.arrayElement(DOMAINS)}`,
    phone: fill(faker, faker.helpers.arrayElement(country.phones)),
    link: 'https://example.com/claims/help',
  };
}

/** Domains that RFC 2606 reserves for examples: mail to them is not delivered. */
const DOMAINS = ['example.com', 'example.org'] as const;

type Name = Pick<Holder, 'firstName' | 'lastName'>;

/** Creates a name: mostly one of the country, sometimes one of faker's, because people move. */
function createName(faker: Faker, country: Country): Name {
  const isFromElsewhere = faker.datatype.boolean({ probability: 0.2 });
  if (isFromElsewhere) return { firstName: faker.person.firstName(), lastName: faker.person.lastName() };
  return {
    firstName: faker.helpers.arrayElement(country.firstNames),
    lastName: faker.helpers.arrayElement(country.lastNames),
  };
}

function createLinkedContacts(faker: Faker, country: Country): LinkedContact[] {
  const count = faker.helpers.arrayElement([0, 0, 1, 1, 1, 2, 3]);
  return Array.from({ length: count }, () => {
    const name = createName(faker, country);
    return { ...name, email: createEmail(faker, name) };
  });
}

function createEmail(faker: Faker, { firstName, lastName }: Name): string {
  const [first, last] = [firstName, lastName].map((name) =>
    name
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .replaceAll('œ', 'oe')
      .normalize('NFD')
      .replace(/[^a-z]/g, '')
      .slice(0, 28),
  );
  const number = faker.helpers.arrayElement(['', '', String(faker.number.int({ min: 2, max: 99 }))]);
  return `${first}.${last}${number}@${faker.helpers.arrayElement(DOMAINS)}`;
}

/** Fills in a pattern; see `Country`. */
function fill(faker: Faker, pattern: string): string {
  return pattern.replace(/[#%?]/g, (place) => {
    if (place === '?') return faker.string.alpha({ casing: 'upper', exclude: ['I', 'O', 'Q'] });
    return faker.string.numeric({ allowLeadingZeros: place === '#' });
  });
}

function dayBeforeAnniversary(fromDay: number, years: number): number {
  const date = new Date(fromDay * DAY);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return Math.floor(date.getTime() / DAY) - 1;
}

const DAY = 86_400_000;

/** Returns a day, counted from 1970, as `YYYY-MM-DD`. */
export function toCalendarDate(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}
