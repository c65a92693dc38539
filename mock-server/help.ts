// The help text, written from the tables of commands and flags.
import { COMMANDS, FLAGS, type Flag } from './flags.js';

/** The help text. */
export function helpText(): string {
  const commands = Object.entries(COMMANDS).map(([name, purpose]) => [`  ${name}`, purpose] as const);
  const flags = Object.values<Flag>(FLAGS);
  const shown = flags.map(({ name, value, description, commands: [...users] }) => {
    const where = users.length === 1 || name === 'help' || name === 'version' ? '' : ` (${users.join(', ')})`;
    return [`  --${name}${value ? ` <${value}>` : ''}`, `${description}${where}`] as const;
  });
  const variables = flags.flatMap(({ env, name, default: fallback }) =>
    env === undefined ? [] : [[`  ${env}`, `--${name}; default: ${fallback}`] as const],
  );
  return `claimlink: a mock of the session listing and standalone link API

Usage
  claimlink [command] [flags]

Commands
${align(commands)}

Flags
${align(shown)}

Environment (a flag beats it; CLAIMLINK_CLIENT takes several, separated by commas)
${align(variables)}

Examples
  claimlink
  claimlink --port 0 --ready-json
  claimlink --seed 7 --client acme:clk_test_acme --client beta:clk_test_beta
  claimlink openapi --public-url https://claims.example.com > openapi.json
`;
}

function align(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join('\n');
}
