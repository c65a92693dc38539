// Text for a terminal: colours, and no control characters.
import { styleText } from 'node:util';
import type { LogStream } from '../state/options.js';

/** Returns whether a stream is a terminal with colours. NO_COLOR (no-color.org) turns them off. */
export function hasColor(stream: LogStream, env: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** The command line lets the sequences of these styles through. */
export type Paint = (style: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

/** Returns a function that puts text in a style, if the text is for a stream that `hasColor`. */
export function createPaint(isColored: boolean): Paint {
  // Without `validateStream: false` Node checks whether process.stdout is a terminal, not the stream of the text.
  return (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text);
}

/** Escapes control characters as in JSON (`\\u001b`): stored text must not control a terminal. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, toEscapes);
}

function toEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
