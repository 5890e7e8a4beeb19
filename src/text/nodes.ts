import { isNode, mentionedBy, type RichNode } from './richText.js';

/**
 * What is known of the nodes and marks of ProseMirror and TipTap, and of `blob`, the main application's uploads. Names are
 * compared without case, hyphens and underscores: `task_item` is `taskItem`.
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
  /** Whether all within it is read on one line: a row of a table, with a bar before each cell. */
  isRow?: boolean;
  /** Whether its items have numbers. */
  isOrdered?: boolean;
}

/** The first of the named attributes that is a text or a number; empty if there is none. */
type Attributes = (...names: string[]) => string;

const canonical = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

/** Attributes of looks, of places on the page, and of what only an editor counts: whoever reads the text sees none. */
const looks =
  /(colou?r|align|width|height|size|style|indent|margin|padding|fontfamily|fontweight|background|border|progress)$|^(id|class|dir|loading|open|tight|spread|target|rel|lang|colspan|rowspan)$/;

const isMissing = (value: unknown) => value === undefined || value === null || value === false || value === '';

const media = (mark: string): Kind => ({
  place: 'block',
  says: (attribute) => {
    const [name, at] = [attribute('alt', 'title'), attribute('src')];
    return name || at ? `${mark}[${name}]${at && `(${at})`}` : '';
  },
});

/** A file that was uploaded: its id says which. Where its bytes lie on this service changes with each upload. */
const upload: Kind = {
  place: 'block',
  says: (attribute) => {
    const name = attribute('filename', 'alt', 'title');
    const [id, at] = [attribute('id'), attribute('src', 'url')];
    const isElsewhere = /^([a-z][a-z\d+.-]*:|\/\/)/i.test(at.trim());
    const which = [id, (isElsewhere || !id) && at].filter(Boolean).join(', ');
    return name || which ? `[${name}]${which && `(${which})`}` : '';
  },
  silent: ['src', 'url', 'status', 'filetype'],
};

const formula = (place: Kind['place']): Kind => ({
  place,
  says: (attribute) => {
    const source = attribute('latex');
    return source && `$${source}$`;
  },
});

const around: Kind = { place: 'around' };
const textBlock: Kind = { place: 'block', holdsText: true };
const cell: Kind = { place: 'around', says: () => '| ' };

const kinds: Readonly<Record<string, Kind>> = {
  doc: around,
  text: { place: 'inline', says: (_, { text }) => String(text) },
  paragraph: textBlock,
  heading: {
    ...textBlock,
    says: (attribute) => {
      const level = Number(attribute('level'));
      return level >= 1 && level <= 6 ? `${'#'.repeat(level)} ` : '';
    },
    silent: ['level'],
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
    isOrdered: true,
  },
  listitem: { place: 'block', says: () => '- ', indents: '  ' },
  tasklist: around,
  taskitem: {
    place: 'block',
    says: (_, { attrs }) => {
      const { checked = false } = isNode(attrs) ? attrs : {};
      return checked === true ? '[x] ' : isMissing(checked) ? '[ ] ' : `[${inWords(checked)}] `;
    },
    silent: ['checked'],
    indents: '  ',
  },
  table: around,
  tablerow: { place: 'block', isRow: true },
  tablecell: cell,
  tableheader: cell,
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
    silent: ['mentionsuggestionchar'],
  },
  emoji: {
    place: 'inline',
    says: (attribute) => {
      const name = attribute('name');
      return name && `:${name}:`;
    },
  },
  image: media('!'),
  youtube: media(''),
  twitch: media(''),
  audio: media(''),
  video: media(''),
  blob: upload,
  inlinemath: formula('inline'),
  blockmath: formula('block'),
};

/** Marks that change how a text looks, not what it says. */
const plainMarks = new Set(
  'bold strong italic em underline strike code highlight textstyle color subscript superscript'.split(' '),
);

/** The type of a node or mark as it is compared: `task_item` is `taskitem`. Empty if it is no text. */
const typeOf = ({ type }: RichNode): string => (typeof type === 'string' ? canonical(type) : '');

/** The kind of a node; null if it is not known, or holds what nodes of ProseMirror do not, which would not be read. */
export function kindOf(node: RichNode): Kind | null {
  const type = typeOf(node);
  if (!Object.hasOwn(kinds, type)) return null;
  const { attrs, content, marks, text } = node;
  const isWhole =
    (attrs === undefined || attrs === null || isNode(attrs)) &&
    (content === undefined || content === null || Array.isArray(content)) &&
    (marks === undefined || marks === null || Array.isArray(marks)) &&
    (type === 'text' ? typeof text === 'string' && !attrs && !content : text === undefined);
  if (!isWhole) return null;
  for (const name in node) if (!parts.has(name)) return null;
  return kinds[type] ?? null;
}

const parts = new Set(['type', 'attrs', 'content', 'marks', 'text']);

/** JSON with sorted keys, as their order says nothing. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    isNode(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part,
  );

/** The same; `…` for what is nested too deeply. */
export function inOrder(value: unknown): string {
  try {
    return sortedJson(value);
  } catch {
    return '…';
  }
}

const inWords = (value: unknown): string => (typeof value === 'string' ? value : inOrder(value));

/** The attributes that are not known to be said already, or to say nothing, as ` name=value`; empty if there are none. */
function others(attrs: unknown, isSaid: (name: string, value: unknown) => boolean): string {
  if (!isNode(attrs)) return '';
  return Object.entries(attrs)
    .filter(([name, value]) => !isMissing(value) && !isSaid(canonical(name), value))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ` ${name}=${inWords(value)}`)
    .join('');
}

/** What is read in the place of a node of a known kind, or before its children: what it is about, and whatever else it holds. */
export function wordsOf(node: RichNode, kind: Kind): string {
  const { attrs } = node;
  const names = new Set(kind.silent);
  const values = new Set<unknown>();
  const attribute: Attributes = (...wanted) => {
    for (const name of wanted) {
      const value = isNode(attrs) ? attrs[name] : undefined;
      if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) continue;
      names.add(name);
      values.add(value);
      return String(value);
    }
    return '';
  };
  const words = kind.says?.(attribute, node) ?? '';
  const rest = others(attrs, (name, value) => looks.test(name) || names.has(name) || values.has(value));
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
  return marks.flatMap((mark: unknown): Mark[] => {
    const type = isNode(mark) ? typeOf(mark) : '';
    if (plainMarks.has(type)) return [];
    if (!isNode(mark) || type !== 'link') return [{ opening: '{', closing: ` | ${inOrder(mark)}}` }];
    const target = isNode(mark.attrs) ? inWords(mark.attrs.href ?? '') : '';
    const rest = others(mark.attrs, (name) => name === 'href' || name === 'title' || looks.test(name));
    return [{ opening: '[', closing: `](${target}${rest})` }];
  });
}
