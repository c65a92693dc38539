// claimlink mock --init: writes a scenario to begin with.
import { writeFile } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { codeOf, reasonOf } from '../world/file-errors.js';
import { refusal } from '../world/world-file-text.js';
import type { Scenario, ScenarioSession } from './scenario.js';

/** Where the starter goes, unless told otherwise. */
export const DEFAULT_STARTER = 'claimlink.scenario.yaml';

/** The published JSON Schema, from the folder of a project. */
const SCHEMA = 'node_modules/claimlink/fixtures/scenarios/scenario.schema.json';

/**
 * Writes a starter, by the end of the path: YAML with comments, or JSON. Resolves to the path.
 * @throws `options_invalid` for a file that is there already or cannot be written, and for another kind of file.
 */
export async function writeStarter(path: string = DEFAULT_STARTER): Promise<string> {
  const text = starterText(path);
  if (text === undefined)
    throw refusal('scenario', [`${path} must be a file whose name ends in .json, .yaml or .yml`]);
  try {
    await writeFile(path, text, { flag: 'wx' });
    return path;
  } catch (error) {
    const isThere = codeOf(error) === 'EEXIST';
    const reason = isThere
      ? 'is there already, and stays as it is; name another file, or delete it'
      : `cannot be written: its folder ${reasonOf(error)}`;
    throw refusal('scenario', [`${path} ${reason}`], error);
  }
}

/** The text of a starter for this path; undefined for one that is neither YAML nor JSON. */
export function starterText(path: string): string | undefined {
  const schema = schemaFrom(path);
  switch (extname(path).toLowerCase()) {
    case '.yaml':
    case '.yml':
      return starterYaml(schema);
    case '.json':
      return `${JSON.stringify({ $schema: schema, ...STARTER }, null, 2)}\n`;
    default:
      return undefined;
  }
}

/** Editors look for it from the file's folder; a project's modules are in the folder that the command runs in. */
function schemaFrom(path: string): string {
  const found = relative(dirname(resolve(path)), join(process.cwd(), SCHEMA)).replaceAll('\\', '/');
  return isAbsolute(found) || found.startsWith('.') ? found : `./${found}`;
}

const SESSION: ScenarioSession = {
  reference: 'S-STARTER-1',
  date: '2026-01-15T09:41',
  camsReference: 'CAMS-1',
  status: 'submitted',
  createdAt: '2026-01-15T09:20',
  selectedPolicy: {
    number: 'POL-1001',
    provider: 'Acme Insurance',
    holder: {
      firstName: 'Zoë',
      lastName: 'Müller',
      id: 'user-1',
      phone: '+49 30 23125 417',
      email: 'zoe.mueller@example.org',
    },
    validFrom: '2025-07-01',
    validTo: '2026-06-30',
    linkedContacts: [{ firstName: 'Emre', lastName: 'Öztürk', email: 'emre.oeztuerk@example.com' }],
    vehicle: { licensePlate: 'B-ZM 4120' },
  },
};

/** The same as the YAML says. */
const STARTER: Scenario = {
  clients: [
    {
      clientId: 'acme',
      apiKey: 'clk_test_acme',
      name: 'Acme Insurance',
      callbackOrigins: ['https://app.example.com', 'http://localhost:3000'],
      users: [
        { userId: 'user-1', sessions: [SESSION] },
        { userId: 'user-2', sessions: [] },
      ],
    },
  ],
};

function starterYaml(schema: string): string {
  return `# yaml-language-server: $schema=${schema}
#
# A world for the claimlink mock. Start it with:
#   npx claimlink mock --scenario <this file>
#
# Moments are UTC, YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow. Put in quotes what looks like a number
# and is text, such as a user id of digits: "42".

clients:
  - clientId: acme # 1 to 100 characters; never "verify", never starting with "__"
    apiKey: clk_test_acme # what the client sends as x-api-key; no two clients have the same
    name: Acme Insurance # shown on the standalone pages

    # Where links may send users back to: origins, and custom schemes such as "myapp:".
    # Leave it out to allow any https origin, and http on localhost.
    callbackOrigins:
      - https://app.example.com
      - http://localhost:3000

    # A user who is named here has exactly the sessions that stand here. Any other one gets made-up sessions as soon as
    # anybody asks for them, the same ones in each run with the same seed.
    users:
      - userId: user-1
        sessions:
          # The shape of the API's answer: what the API has answered can be pasted in.
          - reference: S-STARTER-1 # unique within the client
            date: 2026-01-15T09:41 # when the claim was submitted
            camsReference: CAMS-1
            status: submitted
            createdAt: 2026-01-15T09:20 # when the session began; the newest one is listed first
            selectedPolicy:
              number: POL-1001
              provider: Acme Insurance
              holder:
                firstName: Zoë
                lastName: Müller
                id: user-1
                phone: +49 30 23125 417
                email: zoe.mueller@example.org
              validFrom: 2025-07-01
              validTo: 2026-06-30
              linkedContacts:
                - firstName: Emre
                  lastName: Öztürk
                  email: emre.oeztuerk@example.com
                  # phone: +49 30 23125 418 # kept, but not part of the listing
              vehicle:
                licensePlate: B-ZM 4120
            # incident: # kept, but not part of the listing
            #   date: 2026-01-14
            #   description: A stone hit the windscreen.

      # A user without any session:
      - userId: user-2
        sessions: []
`;
}
