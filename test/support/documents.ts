import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

export const pathOf = (file: string) => fileURLToPath(new URL(file, root));

export const textOf = (file: string) => readFileSync(pathOf(file), 'utf8');

/** Every document, by its path from the root. */
export const documents = [
  'README.md',
  ...readdirSync(pathOf('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The address in the guide of a document. */
export const guidePathOf = (file: string) =>
  file === 'README.md' ? '/guide' : `/guide/${file.replace(/^docs\/|\.md$/g, '').toLowerCase()}`;

/** What engineers read beside the code. */
export const notes = [
  ...['prisma', 'src', 'test', 'bench', 'tools'].map((folder) => `${folder}/README.md`),
  'tools/dependencies.md',
];

const fence = /^```(\w+)\n(.*?)^```$/gms;

/** The text without its code blocks, in which `#` is no heading and `[` no link. */
export const proseOf = (text: string) => text.replace(fence, '');

export const headingsOf = (text: string) => [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);

/** A heading's anchor, as GitHub makes it. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** What stands below a heading, up to the next of its rank. */
export function sectionOf(text: string, heading: string): string {
  const [, , rest] = text.split(new RegExp(`^(#+) ${heading}$`, 'm'));
  const rank = new RegExp(`^(#+) ${heading}$`, 'm').exec(text)?.[1] ?? '';
  if (rest === undefined) throw new Error(`there is no heading "${heading}"`);
  return rest.split(new RegExp(`^#{1,${rank.length}} `, 'm'))[0] ?? '';
}

/** The code blocks in a language, in the order they stand. */
export const blocksOf = (text: string, language: string) =>
  [...text.matchAll(fence)].flatMap(([, name, code = '']) => (name === language ? [code] : []));

/** The rows of all tables in a text, without their heads, each as its cells. */
export const rowsOf = (text: string) =>
  [...proseOf(text).matchAll(/^\|[-| ]+\|\n((?:\|.*\|\n)+)/gm)].flatMap(([, body = '']) =>
    body
      .trim()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      ),
  );
