// Writes the interface of the settings of a client from their table in core.
const WIDTH = 120;

/**
 * Returns a source with the interface of settings between its marks. Its comments are TSDoc.
 * @param table the source of the table, with the comments of its entries
 */
export function withSettings(source, settings, table) {
  const [before, , after] = source.split(
    /(?<=^\/\/ #region settings.*\n)([\s\S]*?)(?=^\/\/ #endregion settings)/m,
  );
  return `${before}${toInterface(settings, table)}${after}`;
}

function toInterface(settings, table) {
  const members = Object.entries(settings).map(
    ([name, setting]) =>
      `${toComment(commentOf(setting, detailsOf(table, name)))}  ${name}?: ${setting.type};\n`,
  );
  return `/** Further settings of a client, each with a default. */\nexport interface ClientSettings {\n${members.join('')}}\n`;
}

/** Returns the paragraphs of the comment of an entry. */
function detailsOf(table, name) {
  const [, comment = ''] =
    new RegExp(`^  /\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n  ${name}: `, 'm').exec(table) ?? [];
  const paragraphs = comment
    .replaceAll(/^ *\* ?/gm, '')
    .trim()
    .split('\n\n');
  return paragraphs.filter(Boolean).map((paragraph) => paragraph.replaceAll('\n', ' '));
}

/** Returns the paragraphs of a comment: effect, needs and default, and then the details. */
function commentOf({ effect, needs = {}, default: preset }, details) {
  const text = effect.replaceAll(/\[(.*?)\]\(.*?\)/g, '$1');
  const needed = [
    needs.storage && `a storage that implements \`${needs.storage}\``,
    needs.signer && `a signer with \`${needs.signer}\``,
  ].filter(Boolean);
  const sentences = [
    text.startsWith('true ') ? text : text.charAt(0).toUpperCase() + text.slice(1),
    needed.length > 0 && `It needs ${needed.join(', and ')}`,
    preset && `Default: ${preset}`,
  ].filter(Boolean);
  return [`${sentences.join('. ')}.`, ...details];
}

function toComment(paragraphs) {
  const lines = paragraphs.flatMap((paragraph, index) => [...(index > 0 ? [''] : []), ...wrap(paragraph)]);
  if (lines.length === 1 && lines[0].length < WIDTH - 7) return `  /** ${lines[0]} */\n`;
  return ['  /**', ...lines.map((line) => `   * ${line}`.trimEnd()), '   */\n'].join('\n');
}

/** Breaks a text into lines. */
function wrap(text) {
  return text.split(' ').reduce((lines, word) => {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length + 1 <= WIDTH - 5)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
    return lines;
  }, []);
}
