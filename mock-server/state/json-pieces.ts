// JSON in pieces: the persist file has large parts that did not change, whose text is used again.

/** The text of a JSON value. */
export type JsonPieces = readonly Buffer[];

export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Rough memory of a value beside its text: an empty object takes two bytes of JSON. */
const VALUE_BYTES = 32;

/** Returns how much memory a value of this JSON takes. */
export function sizeOf(json: Uint8Array): number {
  return json.length + VALUE_BYTES * countValues(json);
}

/** Returns how much memory a value takes. */
export function sizeOfValue(value: unknown): number {
  return sizeOf(toJson(value));
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/** Returns the number of values in a JSON text: one for each object and list, and one for each comma. */
function countValues(json: Uint8Array): number {
  let count = 1;
  let isInString = false;
  for (let offset = 0; offset < json.length; offset++) {
    const byte = json[offset];
    if (isInString) {
      if (byte === BACKSLASH) offset++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count++;
  }
  return count;
}

/** Returns the JSON of an object with these members. */
export function jsonObject(members: Readonly<Record<string, JsonPieces>>): JsonPieces {
  const pieces = Object.entries(members).map(([name, json]) => [
    Buffer.from(`${JSON.stringify(name)}:`),
    ...json,
  ]);
  return enclosed('{', pieces, '}');
}

/** Returns the JSON of a list of these items. */
export function jsonList(items: readonly JsonPieces[]): JsonPieces {
  return enclosed('[', items, ']');
}

function enclosed(start: string, items: readonly JsonPieces[], end: string): JsonPieces {
  const comma = Buffer.from(',');
  const separated = items.flatMap((pieces, index) => (index === 0 ? pieces : [comma, ...pieces]));
  return [Buffer.from(start), ...separated, Buffer.from(end)];
}
