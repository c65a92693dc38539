// Writes a scenario to start from: `claimlink mock --init`.
import { writeFile } from 'node:fs/promises';
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { errorCode, fileProblem } from './file-problem.js';
import type { Scenario } from './scenario.js';
import { scenarioError } from './scenario-file.js';

/** Default path of the starter. */
export const DEFAULT_STARTER = 'claimlink.scenario.yaml';

/** The published JSON Schema, seen from the folder of a project. */
const SCHEMA = 'node_modules/claimlink/fixtures/scenarios/scenario.schema.json';

/**
 * Writes a starter: YAML with comments, or JSON, by the extension of the path. Returns the path.
 * @throws `options_invalid` for a file that exists or cannot be written, and for another extension
 */
export async function writeStarter(path: string = DEFAULT_STARTER): Promise<string> {
  const text = starterText(path);
  if (text === undefined)
    throw scenarioError([`${path} must be a file whose name ends in .json, .yaml or .yml`]);
  try {
    await writeFile(path, text, { flag: 'wx' });
    return path;
  } catch (error) {
    const reason =
      errorCode(error) === 'EEXIST'
        ? 'exists already and was not changed; name another file or delete it'
        : `cannot be written: its folder ${fileProblem(error)}`;
    throw scenarioError([`${path} ${reason}`], error);
  }
}

/** Returns the text of a starter for this path; undefined if it is neither YAML nor JSON. */
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

/** Editors resolve the path from the folder of the scenario; modules are in the folder that the command runs in. */
function schemaFrom(path: string): string {
  const fromFile = relative(dirname(resolve(path)), join(process.cwd(), SCHEMA)).replaceAll('\\', '/');
  return isAbsolute(fromFile) || fromFile.startsWith('.') ? fromFile : `./${fromFile}`;
}

/** Equal to the YAML text. */
const STARTER: Scenario = {
  clients: [
    {
      clientId: 'acme',
      apiKey: 'clk_test_acme',
      name: 'Acme Insurance',
      callbackOrigins: ['https://app.example.com', 'http://localhost:3000'],
      users: [
        {
          userId: 'user-1',
          sessions: [
            {
              reference: 'S-STARTER-1',
              date: '2026-01-15T09:41',
              createdAt: '2026-01-15T09:20',
              selectedPolicy: {
                number: 'POL-1001',
                holder: { firstName: 'Zoë', lastName: 'Müller', email: 'zoe.mueller@example.org' },
              },
            },
          ],
        },
        { userId: 'user-2', sessions: [] },
        { userId: 'user-3' },
      ],
      links: [{ userId: 'user-1', state: 'opened', config: { initialStepKey: 'incident' } }],
      clock: { now: '2026-01-20T12:00', frozen: true },
      faults: [{ userId: 'user-3', route: 'createLink', status: 503, times: 1 }],
    },
  ],
};

function starterYaml(schema: string): string {
  return `# yaml-language-server: $schema=${schema}
#
# A scenario for the claimlink mock. Start it with:
#   npx claimlink mock --scenario <this file>
#
# Moments are UTC, YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow.
# Put text that looks like a number in quotes, such as the user id "42".

clients:
  - clientId: acme # 1 to 100 characters; not "verify", not starting with "__"
    apiKey: clk_test_acme # value of the header x-api-key; different for each client
    name: Acme Insurance # shown on the standalone pages

    # Allowed targets of callback URLs: origins, and custom schemes such as "myapp:".
    # Without this member every https origin is allowed, and http on localhost.
    callbackOrigins:
      - https://app.example.com
      - http://localhost:3000

    # A user with the member "sessions" has exactly these sessions. Every other user has seeded sessions.
    users:
      - userId: user-1
        sessions:
          # The shape of the API's response: you can paste one. The seed gives the members that you leave out.
          - reference: S-STARTER-1 # unique within the client
            date: 2026-01-15T09:41 # time of the submission
            createdAt: 2026-01-15T09:20 # start of the session; the newest session is listed first
            selectedPolicy:
              number: POL-1001
              holder:
                firstName: Zoë
                lastName: Müller
                email: zoe.mueller@example.org

      # A user without sessions:
      - userId: user-2
        sessions: []

      # A user with seeded sessions:
      - userId: user-3

    # Links that exist from the start. State: created, opened, submitted, expired or revoked.
    links:
      - userId: user-1
        state: opened
        config:
          initialStepKey: incident

    # Without "now" the clock starts at the system's time.
    clock:
      now: 2026-01-20T12:00
      frozen: true

    # Faults that are set from the start, with the members of the control API.
    faults:
      - userId: user-3
        route: createLink
        status: 503
        times: 1
`;
}
