import { isNode, mentionedBy, type RichNode } from './richText.js';

/**
 * What is known of the nodes and marks of ProseMirror's own schemas and of TipTap. Names are compared without case and
 * underscores: `task_item` is `taskItem`. Any other node is read as its type with its attributes.
 */
export interface Kind {
  /** Where it stands: in a line, as a block with lines of its own, or only around other nodes. */
  place: 'inline' | 'block' | 'around';
  /** What is read in its place, or before its children. */
  says?: (attribute: Attributes, node: RichNode) => string;
  /** Attributes that `says` has in words of its own, and those that are only about the looks of this node. */
  silent?: readonly string[];
  /** What each line within it begins with; the first line of an item begins with `says` instead. */
  indents?: string;
  /** Whether its children are text in a line, so that an unknown node among them is, too. */
  holdsText?: boolean;
}

/** The first of the named attributes that is a text or a number; empty if there is none. */
type Attributes = (...names: string[]) => string;

const canonical = (name: string) => name.toLowerCase().replaceAll('_', '');

const attributesOf = ({ attrs }: RichNode): [string, unknown][] => (isNode(attrs) ? Object.entries(attrs) : []);

/** Attributes of looks, and of what only an editor counts: whoever reads the text sees none. */
const looks =
  /(colou?r|align|width|height|size|style|indent|background|fontfamily|progress)$|^(class|dir|open|tight|loading|target|rel|colspan|rowspan|mentionsuggestionchar)$/i;

const isMissing = (value: unknown) => value === undefined || value === null || value === false || value === '';

const media = (what: string): Kind => ({
  place: 'block',
  says: (attribute) => {
    const [name, at] = [attribute('alt', 'title'), attribute('src')];
    return name || at ? `${what}[${name}]${at && `(${at})`}` : '';
  },
});

/** A file that was uploaded: its id says which. Where its bytes lie on this service changes with each upload. */
const upload: Kind = {
  place: 'block',
  says: (attribute) => {
    const [name, id, at] = [attribute('filename', 'alt', 'title'), attribute('id'), attribute('src')];
    const isElsewhere = /^([a-z][a-z\d+.-]*:|\/\/)/i.test(at.trim());
    const which = [id, (isElsewhere || !id) && at].filter(Boolean).join(', ');
    return name || which ? `[${name}]${which && `(${which})`}` : '';
  },
  silent: ['status', 'filetype'],
};

const formula = (place: Kind['place']): Kind => ({ place, says: (attribute) => `$${attribute('latex')}$` });

const around: Kind = { place: 'around' };
const block: Kind = { place: 'block' };
const textBlock: Kind = { place: 'block', holdsText: true };

const kinds: Readonly<Record<string, Kind>> = {
  doc: around,
  text: { place: 'inline', says: (_, { text }) => (typeof text === 'string' ? text : '') },
  paragraph: textBlock,
  heading: {
    place: 'block',
    says: (attribute) => {
      const level = Number(attribute('level'));
      return level >= 1 && level <= 6 ? `${'#'.repeat(level)} ` : '';
    },
    holdsText: true,
  },
  codeblock: { ...textBlock, silent: ['language', 'params'] },
  blockquote: { place: 'block', indents: '> ' },
  hardbreak: { place: 'inline', says: () => '\n' },
  horizontalrule: { place: 'block', says: () => '---' },
  bulletlist: around,
  orderedlist: {
    place: 'around',
    says: (attribute) => {
      const start = attribute('start', 'order');
      return start && start !== '1' ? `{start=${start}}` : '';
    },
    silent: ['type'],
  },
  listitem: { place: 'block', says: () => '- ', indents: '  ' },
  tasklist: around,
  taskitem: {
    place: 'block',
    says: (_, { attrs }) => (isNode(attrs) && attrs.checked === true ? '[x] ' : '[ ] '),
    silent: ['checked'],
    indents: '  ',
    holdsText: true,
  },
  table: around,
  tablerow: block,
  tablecell: block,
  tableheader: block,
  details: around,
  detailssummary: textBlock,
  detailscontent: around,
  mention: {
    place: 'inline',
    says: (attribute, node) => {
      const id = mentionedBy(node) ?? attribute('id');
      const label = attribute('label').replace(/^@/, '');
      return `@${label && id && label !== id ? `${label} (${id})` : label || id}`;
    },
  },
  emoji: { place: 'inline', says: (attribute) => `:${attribute('name')}:` },
  image: media('!'),
  video: media(''),
  youtube: media(''),
  blob: upload,
  inlinemath: formula('inline'),
  blockmath: formula('block'),
};

/** Marks that change how a text looks, not what it says. */
const plainMarks = new Set(
  'bold strong italic em underline strike code highlight textstyle subscript superscript'.split(' '),
);

/** The kind of a node; null if it is not known. */
export const kindOf = (node: RichNode): Kind | null =>
  (Object.hasOwn(kinds, typeOf(node)) && kinds[typeOf(node)]) || null;

/** The type of a node or mark as it is compared: `task_item` is `taskitem`. Empty if it is no text. */
export const typeOf = ({ type }: RichNode): string => (typeof type === 'string' ? canonical(type) : '');

/** JSON with sorted keys: their order says nothing. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    isNode(part) && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

const inWords = (value: unknown): string => (typeof value === 'string' ? value : inOrder(value));

/** The attributes that are not known to be said already, or to say nothing, as ` name=value`; empty if there are none. */
const others = (node: RichNode, isSaid: (name: string) => boolean) =>
  attributesOf(node)
    .filter(([name, value]) => !isMissing(value) && !isSaid(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ` ${name}=${inWords(value)}`)
    .join('');

/** What is read in the place of a node, or before its children: what it is about, and whatever else it holds. */
export function wordsOf(node: RichNode, kind: Kind | null, isLeaf: boolean): string {
  if (!kind) {
    const text = typeof node.text === 'string' && node.text ? ` ${node.text}` : '';
    return `{${inWords(node.type ?? 'node')}${text}${others(node, (name) => name === 'id' && !isLeaf)}}`;
  }
  const attributes = new Map(attributesOf(node));
  const said = new Set(['id', ...(kind.silent ?? [])]);
  const attribute: Attributes = (...wanted) => {
    for (const name of wanted) {
      const value = attributes.get(name);
      if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) continue;
      said.add(name);
      return String(value);
    }
    return '';
  };
  const words = kind.says?.(attribute, node) ?? '';
  const rest = others(node, (name) => looks.test(name) || said.has(name));
  return rest ? `${words}{${rest.slice(1)}}` : words;
}

/** A mark that says something, as what is read around its text. */
export interface Mark {
  opening: string;
  closing: string;
}

/** The marks of a node that say something: links with their targets, and whatever is not known. */
export function marksOf({ marks }: RichNode): Mark[] {
  if (!Array.isArray(marks)) return [];
  return marks.filter(isNode).flatMap((mark): Mark[] => {
    const type = typeOf(mark);
    if (plainMarks.has(type)) return [];
    if (type !== 'link')
      return [{ opening: '{', closing: ` | ${inWords(mark.type ?? 'mark')}${others(mark, () => false)}}` }];
    const target = isNode(mark.attrs) && !isMissing(mark.attrs.href) ? inWords(mark.attrs.href) : '';
    const rest = others(mark, (name) => ['id', 'title', 'href'].includes(name) || looks.test(name));
    return [{ opening: '[', closing: `](${target}${rest})` }];
  });
}
