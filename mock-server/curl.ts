// Command lines for curl that can be pasted into the shell of the platform.

export interface CurlRequest {
  method: string;
  url: string;
  /** A value may name a variable of the environment, for a secret that must not be shown. */
  headers: Readonly<Record<string, string | { variable: string }>>;
  body?: string;
  /** Accept any certificate. */
  isInsecure?: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are control characters
const TERMINAL_CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

/** Returns whether a line can be pasted: a terminal acts on control characters but tab and line feed, also between quotes. */
export function isPasteable(line: string): boolean {
  return !TERMINAL_CONTROLS.test(line);
}

/** Returns the command line: for PowerShell on Windows, otherwise for a POSIX shell. */
export function curlLine(request: CurlRequest, platform: NodeJS.Platform): string {
  const { method, url, headers, body, isInsecure } = request;
  // `curl` alone is another command in Windows PowerShell.
  const shell =
    platform === 'win32'
      ? { curl: 'curl.exe', word: quoteForPowerShell, variable: '$env:', newline: ' `\n  ' }
      : { curl: 'curl', word: quote, variable: '$', newline: ' \\\n  ' };
  // The body comes from a pipe, in ASCII: PowerShell removes double quotes from arguments, and its older versions pipe
  // other characters as question marks.
  const isPiped = platform === 'win32' && body !== undefined;
  const parts = [
    // Without -g, curl sends several requests for a URL with braces or brackets.
    `${shell.curl}${isInsecure ? ' -k' : ''}${/[[\]{}]/.test(url) ? ' -g' : ''}${methodFlag(method, body)} ${shell.word(url)}`,
    ...Object.entries(headers).map(([name, value]) =>
      typeof value === 'string'
        ? `-H ${shell.word(`${name}: ${value}`)}`
        : `-H "${name}: ${shell.variable}${value.variable}"`,
    ),
    // `-d` would send a file of the user for a body that begins with `@`.
    ...(body === undefined ? [] : [isPiped ? `-d '@-'` : `--data-raw ${shell.word(body)}`]),
  ];
  const line = parts.join(shell.newline);
  return isPiped ? `${shell.word(toAscii(body))} | ${line}` : line;
}

function methodFlag(method: string, body: string | undefined): string {
  if (method === 'HEAD') return ' -I';
  return method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${method}`;
}

/** Returns one word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns one word for PowerShell, which takes these typographic characters for a single quote as well. */
function quoteForPowerShell(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}

function toAscii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
