// Creates incidents for the seeder: a day and a description.
import type { Faker } from '@faker-js/faker';
import type { Incident } from '../../lib/index.js';
import { type SeededPolicy, toCalendarDate } from './seed-policy.js';

/** An incident is at most this many days before the end of the policy or the reference day. */
const RECENT_DAYS = 60;

/** Creates an incident while the policy was valid and before the reference day, and on no day after `time`. */
export function createIncident(
  faker: Faker,
  { fromDay, toDay }: SeededPolicy,
  { refDay, time }: { refDay: number; time: Date | undefined },
): Incident {
  const last = Math.min(toDay, refDay - 1);
  const day = faker.number.int({ min: Math.max(fromDay, last - RECENT_DAYS), max: last });
  const [event, damages] = faker.helpers.arrayElement(Object.entries(STORIES));
  const damage = faker.helpers.arrayElement(damages);
  const remark = faker.helpers.arrayElement(REMARKS);
  const date = toCalendarDate(day);
  // A mock whose clock was set back is before the reference day.
  const today = time?.toISOString().slice(0, 10) ?? date;
  return { date: date < today ? date : today, description: `${event} ${damage}${remark}` };
}

/** Events, each with damages that fit it. The order is part of the seed. */
const STORIES: Readonly<Record<string, readonly string[]>> = {
  'A car drove into the back of mine while I was waiting at a red light.': [
    'The rear bumper is pushed in and the boot does not close.',
    'One rear light is broken and the bumper is hanging off.',
  ],
  'I reversed out of a parking space and hit a concrete post.': [
    'The rear bumper is cracked.',
    'The tailgate has a deep dent.',
  ],
  'Somebody scraped the car while it was parked outside the supermarket, and left no note.': [
    'There is a long scratch along both doors on the passenger side.',
    'The front wing is dented and the wing mirror is hanging by its cable.',
  ],
  'A stone flew up from a lorry on the motorway.': [
    'It hit the windscreen, which is cracked from one side to the other.',
    'It chipped the windscreen right in front of the driver.',
  ],
  'A deer ran across the road at dusk and I could not stop in time.': [
    'The bonnet is bent and one headlight is broken.',
    'The grille is smashed and the radiator leaks.',
  ],
  'A branch fell onto the car in a storm.': [
    'The roof is dented.',
    'The rear window is broken and it has rained in.',
  ],
  'The car was broken into in a multi-storey car park.': [
    'A side window is smashed and the navigation system is gone.',
    'The lock of the driver’s door is broken.',
  ],
  'We both wanted to turn into the same lane at a roundabout, and touched.': [
    'The doors on the driver’s side are dented.',
    'The front left wing is scratched and the wheel pulls to the left.',
  ],
  'I slid on wet leaves into a garden wall.': [
    'The front bumper is broken, and so are a few bricks of the wall.',
    'The front right wing is pushed in and the wheel rubs against it.',
  ],
  'A cyclist came out of a side street and we collided at walking pace.': [
    'The bonnet is scratched; the bicycle has a bent wheel.',
    'One headlight is cracked.',
  ],
  'It hailed for ten minutes while the car stood in the open.': [
    'The bonnet and the roof are full of small dents.',
    'The roof is dented and the sunroof is cracked.',
  ],
};

const REMARKS = [
  '',
  '',
  ' Nobody was hurt.',
  ' The police took the details.',
  ' I have photos of the damage and of the place.',
  ' A neighbour saw it and is willing to say so.',
  ' The car is at a garage.',
] as const;
