// Writes a scenario to start from: `claimlink mock --init`.
import { writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errorCode, fileProblem } from './file-problem.js';
import { extensionOf, scenarioError } from './scenario-file.js';

/** Default path of the starter. */
export const DEFAULT_STARTER = 'claimlink.scenario.yaml';

/** The published JSON Schema, seen from the folder of a project. */
const SCHEMA = 'node_modules/claimlink/fixtures/scenarios/scenario.schema.json';

/**
 * Writes a starter: YAML with comments, or JSON, by the extension of the path. Returns the path.
 * @throws `options_invalid` for a file that exists or cannot be written, and for another extension
 */
export async function writeStarter(path: string = DEFAULT_STARTER): Promise<string> {
  const text = await starterText(path);
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

/** Returns the text of a starter for this path. @throws `options_invalid` for another extension */
export async function starterText(path: string): Promise<string> {
  const schema = schemaFrom(path);
  const text = starterYaml(schema);
  if (extensionOf(path) !== '.json') return text;
  const { parse } = await import('yaml');
  return `${JSON.stringify({ $schema: schema, ...parse(text) }, null, 2)}\n`;
}

/** Editors resolve the path from the folder of the scenario; modules are in the folder that the command runs in. */
function schemaFrom(path: string): string {
  const fromFile = relative(dirname(resolve(path)), join(process.cwd(), SCHEMA)).replaceAll('\\', '/');
  return isAbsolute(fromFile) || fromFile.startsWith('.') ? fromFile : `./${fromFile}`;
}

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

    # Language and brand of the standalone pages. The colour needs a contrast of 4.5:1 against white.
    locale: de
    branding:
      displayName: Acme
      primaryColor: "#14508c"

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
