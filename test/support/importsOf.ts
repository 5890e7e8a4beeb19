import { parseAst } from 'vitest/node';

export interface Import {
  line: number;
  /** Undefined if only the running code knows it. */
  path: string | undefined;
  /** Whether it is the path of an import, and not another text with a step `./` or `../`, as of a URL. */
  isImport: boolean;
  /** Whether it takes types only, and so loads nothing. */
  isType?: boolean;
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** The node that says from where, by the type of the node that imports. */
const sources: Record<string, (node: Node) => unknown> = {
  ImportDeclaration: ({ source }) => source,
  ExportNamedDeclaration: ({ source }) => source,
  ExportAllDeclaration: ({ source }) => source,
  ImportExpression: ({ source }) => source,
  TSImportType: ({ source }) => source,
  TSExternalModuleReference: ({ expression }) => expression,
  CallExpression: ({ callee, arguments: given }) =>
    isNode(callee) && callee.name === 'require' ? (given as Node[])[0] : undefined,
};

/** A comment that makes TypeScript read another file. */
const reference = /^\s*\/\/\/\s*<reference\s+path\s*=\s*["'](.*?)["']/gm;

/** A string, or a template up to its first expression. */
function textOf(node: Node): { text: string; isWhole: boolean } | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return { text: node.value, isWhole: true };
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node.quasis as { value: { cooked: string } }[];
  return { text: quasis[0]?.value.cooked ?? '', isWhole: quasis.length === 1 };
}

/** Everything that a TypeScript or JavaScript file imports, and whatever else it names by a relative path. */
export function importsOf(code: string): Import[] {
  const found: Import[] = [];
  const read = new Set<Node>();
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const entry of value) visit(entry);
    if (!isNode(value) || read.has(value)) return;
    const source = sources[value.type]?.(value);
    if (isNode(source)) {
      read.add(source);
      const path = textOf(source);
      const isType = value.importKind === 'type' || value.exportKind === 'type';
      found.push({ line: lineAt(value.start), path: path?.isWhole ? path.text : undefined, isImport: true, isType });
    }
    const path = textOf(value)?.text;
    if (path && /(^|[\\/])\.\.?[\\/]/.test(path)) found.push({ line: lineAt(value.start), path, isImport: false });
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(code, { lang: 'ts' }));
  for (const { index, 0: all, 1: path } of code.matchAll(reference))
    found.push({ line: lineAt(index + all.indexOf('///')), path, isImport: true });
  return found.sort((one, other) => one.line - other.line);
}
