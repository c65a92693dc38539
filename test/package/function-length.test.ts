// A reader sees a function whole: its length in lines, and that of a factory without the functions that it returns.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import ts from 'typescript';
import { REPOSITORY } from '../repository.js';

const MAX_LINES = 120;

type WithBody = ts.FunctionLikeDeclaration & { body: ts.Node };

const isFunction = (node: ts.Node): node is WithBody =>
  ts.isFunctionLike(node) && 'body' in node && !!node.body;

function linesOf(node: ts.Node): number {
  const source = node.getSourceFile();
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  return lineAt(node.end) - lineAt(node.getStart()) + 1;
}

function nameOf(node: ts.Node): string | undefined {
  const named = [node, node.parent].find((each) => each !== undefined && 'name' in each && each.name);
  return (named as ts.NamedDeclaration | undefined)?.name?.getText();
}

/** Returns the functions that a function returns: in a result, or in the values of its variables that a result names. */
function returnedBy({ body }: WithBody): Set<WithBody> {
  const returned = new Set<WithBody>();
  const declared = new Map<string, ts.Node>();
  const declare = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer)
      declared.set(node.name.getText(), node.initializer);
    if (ts.isFunctionDeclaration(node) && node.name) declared.set(node.name.text, node);
    if (!isFunction(node)) ts.forEachChild(node, declare);
  };
  const collect = (node: ts.Node): void => {
    const value = ts.isIdentifier(node) ? declared.get(node.text) : undefined;
    if (value) declared.delete((node as ts.Identifier).text);
    if (value) collect(value);
    else if (isFunction(node)) returned.add(node);
    else ts.forEachChild(node, collect);
  };
  const find = (node: ts.Node): void => {
    if (ts.isReturnStatement(node)) collect(node);
    else if (!isFunction(node)) ts.forEachChild(node, find);
  };
  ts.forEachChild(body, declare);
  if (ts.isBlock(body)) find(body);
  else collect(body);
  return returned;
}

function* longFunctions(node: ts.Node): Generator<string> {
  if (isFunction(node)) {
    let lines = linesOf(node);
    if (lines > MAX_LINES) for (const returned of returnedBy(node)) lines -= linesOf(returned);
    if (lines > MAX_LINES) yield `${node.getSourceFile().fileName}: ${nameOf(node)}`;
  }
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* longFunctions(child);
}

t.test(`no function has more than ${MAX_LINES} lines`, async (t) => {
  const root = fileURLToPath(REPOSITORY);
  const files = ['lib', 'mock-server'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = files.filter((name) => /\.tsx?$/.test(name) && !name.includes('generated/'));
  const longer = sources.flatMap((name) => [
    ...longFunctions(
      ts.createSourceFile(name, readFileSync(root + name, 'utf8'), ts.ScriptTarget.Latest, true),
    ),
  ]);
  t.strictSame(longer, []);
});
