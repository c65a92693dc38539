// JSON in pieces: the persist file has large parts that did not change, whose text is used again.

/** The text of a JSON value. */
export type JsonPieces = readonly Buffer[];

export function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
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
