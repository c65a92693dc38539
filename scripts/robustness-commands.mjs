// The commands of docs/evidence/robustness.md, in the order of the page. test/docs compares them with the page.

/**
 * @typedef {object} RobustnessCommand
 * @property {string} name for `--only`
 * @property {string} command
 * @property {string} [needs] what the machine must have
 * @property {RegExp} figures the lines of its output that have its figures
 */

const POSTGRES = 'initdb of PostgreSQL';
const POSTGRES_OR_URL = `${POSTGRES}, or DATABASE_URL`;

/** @type {RobustnessCommand[]} */
export const COMMANDS = [
  {
    name: 'simulation',
    command: 'npm run simulate -- --seed 1 --runs 20000',
    figures: /histories from seed|promise/,
  },
  {
    name: 'pages',
    command: 'npm run simulate -- --pages --seed 1 --runs 10000',
    figures: /histories from seed|promise/,
  },
  {
    name: 'interleavings',
    command: 'npm run interleavings',
    needs: POSTGRES_OR_URL,
    figures: /\d orders$|^# \{ total/,
  },
  {
    name: 'kills',
    command: 'npm run kills',
    needs: POSTGRES_OR_URL,
    figures: /# (links \d|\d+ links|\d+ committed)|^# \{ total/,
  },
  { name: 'model', command: 'npm run model', needs: 'spin and gcc', figures: / states$|NOT FOUND/ },
  {
    name: 'seeded-faults',
    command: 'npm run seeded-faults',
    needs: POSTGRES_OR_URL,
    figures: /^\d+ mistakes|NOT FOUND/,
  },
  {
    name: 'properties',
    command: 'CLAIMLINK_TESTS=long npm test -- test/properties',
    figures: /^(Asserts|Suites):/,
  },
  {
    name: 'fuzz',
    command: 'npm run fuzz -- --seconds 60 --seed 1',
    figures: /inputs from seed|^No 5xx/,
  },
  {
    name: 'soak',
    command: 'npm run soak -- --minutes 60 --seed 1',
    needs: `Linux and ${POSTGRES}`,
    figures: /requests in|failovers|: \d+$|per hour|promise/,
  },
  {
    name: 'failover',
    command: 'npm run ha -- failover',
    needs: `Linux and ${POSTGRES}`,
    figures: /links submitted twice|missed \d|^# \{ total/,
  },
];
