// The flags of the command check.

import { readOneOf, readText } from './flag-readers.js';
import { flag, readPresence, withVariable } from './flags.js';

const readKind = readOneOf(['contract', 'decisions']);

export const CHECK_FLAGS = {
  clientId: withVariable(flag('--client-id <id>', readText, 'client at the deployment')),
  apiKey: withVariable(flag('--api-key <key>', readText, 'its API key; the variable is safer')),
  userId: withVariable(
    flag('--user-id <id>', readText, 'user of the links and claims', { default: 'claimlink-check-<random>' }),
  ),
  otherClientId: flag('--other-client-id <id>', readText, 'another client, which must refuse the key'),
  callbackUrl: flag('--callback-url <url>', readText, 'callback URL that the client allows'),
  linkOrigin: flag('--link-origin <origin>', readText, 'also send requests to links with this origin'),
  only: flag('--only <kind>', readKind, 'check only these rules: contract or decisions'),
  failuresOnly: flag('--failures-only', readPresence, 'leave out the rules that do not fail'),
  json: flag('--json', readPresence, 'print one JSON document instead of the report'),
  junit: flag('--junit <file>', readText, 'also write the result as JUnit XML'),
} as const;
