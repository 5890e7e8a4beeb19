import { isNode, mentionedBy, type RichNode } from './richText.js';

/**
 * What is known of the nodes and marks of ProseMirror, TipTap, BlockNote, Outline and the Atlassian Document Format.
 * Names are compared without case, hyphens and underscores: `task_item` is `taskItem`.
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

const canonical = (name: string) => name.toLowerCase().replace(/[-_]/g, '');
const canonicalAttribute = (name: string) => canonical(name.replace(/^data[-_]/i, ''));

/** What a node is made of, and what says nothing: BlockNote's ids of blocks, and its looks of texts. */
const parts = new Set([
  'type',
  'attrs',
  'props',
  'text',
  'marks',
  'content',
  'children',
  'rows',
  'cells',
  'id',
  'styles',
]);

/**
 * The attributes of a node or mark by their canonical names. BlockNote calls them `props`; its links, as the nodes of
 * Slate, have them beside their type.
 */
function attributesOf(node: RichNode): Map<string, unknown> {
  const all = new Map<string, unknown>();
  const add = (name: string, value: unknown) => {
    const key = canonicalAttribute(name);
    if (!all.has(key)) all.set(key, value);
  };
  for (const name of ['attrs', 'props']) {
    const value = node[name];
    if (isNode(value)) for (const entry of Object.entries(value)) add(...entry);
    else if (!isMissing(value)) add(name, value);
  }
  for (const name in node) if (!parts.has(name)) add(name, node[name]);
  return all;
}

/** Attributes of looks, of places on the page, and of what only an editor counts: whoever reads the text sees none. */
const looks =
  /(colou?r|align|alignment|width|height|size|style|classname|indent|indentation|margin|padding|fontfamily|fontweight|background|border|theme|layout|progress)$|^(class|dir|localid|nodeid|blockid|uniqueid|loading|open|collapsed|tight|spread|target|rel|markup|lang|accesslevel|usertype|mentionsuggestionchar|showpreview|istoggleable|colspan|rowspan|isnumbercolumnenabled)$/;

const address = ['src', 'url', 'href', 'link'];
const names = ['title', 'caption', 'name', 'filename', 'label'];
const isMissing = (value: unknown) => value === undefined || value === null || value === false || value === '';

const media = (what: string): Kind => ({
  place: 'block',
  says: (attribute) => {
    const [name, at] = [attribute('alt', ...names), attribute(...address, 'id', 'videoid')];
    return name || at ? `${what}[${name}]${at && `(${at})`}` : '';
  },
});

/** A file that was uploaded: its id says which. Where its bytes lie on this service changes with each upload. */
const upload: Kind = {
  place: 'block',
  says: (attribute) => {
    const name = attribute('filename', 'alt', ...names);
    const [id, at] = [attribute('id'), attribute(...address)];
    const isElsewhere = /^([a-z][a-z\d+.-]*:|\/\/)/i.test(at.trim());
    const which = [id, (isElsewhere || !id) && at].filter(Boolean).join(', ');
    return name || which ? `[${name}]${which && `(${which})`}` : '';
  },
  silent: [...address, 'status', 'filetype', 'mimetype'],
};

const card = (place: Kind['place']): Kind => ({
  place,
  says: (attribute) => {
    const [name, at] = [attribute(...names), attribute(...address, 'id')];
    return name || at ? `[${name || 'card'}](${at})` : '';
  },
});

const formula = (place: Kind['place']): Kind => ({
  place,
  says: (attribute) => {
    const source = attribute('latex', 'formula', 'tex', 'value', 'equation', 'text');
    return source && `$${source}$`;
  },
  holdsText: true,
});

const isDone = (attribute: Attributes) =>
  /^(true|done|checked|complete|completed|1)$/i.test(attribute('checked', 'state', 'done', 'status'));
const task: Kind = {
  place: 'block',
  says: (attribute) => (isDone(attribute) ? '[x] ' : '[ ] '),
  silent: ['checked', 'state', 'done', 'status'],
  indents: '  ',
  holdsText: true,
};

const around: Kind = { place: 'around' };
const block: Kind = { place: 'block' };
const textBlock: Kind = { place: 'block', holdsText: true };
const code: Kind = { ...textBlock, silent: ['language', 'params', 'wrap'] };
const item = (marker: string): Kind => ({
  place: 'block',
  says: () => marker,
  indents: '  ',
  silent: ['index', 'start', 'order', 'type'],
});
const rule: Kind = { place: 'block', says: () => '---', silent: ['type'] };
const titled: Kind = {
  place: 'block',
  says: (attribute) => attribute('title', 'summary', 'label'),
};
const lineBreak: Kind = { place: 'inline', says: () => '\n', silent: ['text'] };

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
    silent: ['level'],
    holdsText: true,
  },
  codeblock: code,
  codefence: code,
  quote: { place: 'block', indents: '> ', holdsText: true },
  blockquote: { place: 'block', indents: '> ' },
  hardbreak: lineBreak,
  br: lineBreak,
  horizontalrule: rule,
  hr: rule,
  rule,
  divider: rule,
  bulletlist: around,
  orderedlist: {
    place: 'around',
    says: (attribute) => {
      const start = attribute('start', 'order');
      return start && start !== '1' ? `{start=${start}}` : '';
    },
    silent: ['type', 'index'],
  },
  tasklist: around,
  todolist: around,
  checkboxlist: around,
  checklist: around,
  decisionlist: around,
  listitem: item('- '),
  bulletlistitem: item('- '),
  togglelistitem: item('- '),
  numberedlistitem: item('1. '),
  taskitem: task,
  todoitem: task,
  checkboxitem: task,
  checklistitem: task,
  blocktaskitem: task,
  decisionitem: {
    place: 'block',
    says: (attribute) => `[${attribute('state') || 'UNDECIDED'}] `,
    silent: ['state'],
    indents: '  ',
    holdsText: true,
  },
  blockgroup: around,
  blockcontainer: around,
  columnlist: around,
  column: block,
  columns: around,
  layoutsection: around,
  layoutcolumn: block,
  table: around,
  tablecontent: around,
  tablerow: block,
  tr: block,
  tablecell: block,
  tableheader: block,
  td: block,
  th: block,
  caption: textBlock,
  figcaption: textBlock,
  figure: around,
  mediasingle: around,
  mediagroup: around,
  details: titled,
  detailssummary: textBlock,
  summary: textBlock,
  detailscontent: around,
  expand: titled,
  nestedexpand: titled,
  mention: {
    place: 'inline',
    says: (attribute, node) => {
      const id = mentionedBy(node) ?? attribute('id');
      const label = attribute('label', 'text', 'name', 'title').replace(/^@/, '');
      return `@${label && id && label !== id ? `${label} (${id})` : label || id}`;
    },
    silent: ['id'],
  },
  emoji: {
    place: 'inline',
    says: (attribute) => {
      const name = attribute('name', 'shortname').replace(/^:|:$/g, '');
      return attribute('emoji', 'text', 'char', 'native', 'unicode') || (name ? `:${name}:` : attribute('id'));
    },
    silent: ['name', 'shortname', 'id', 'skin'],
  },
  date: {
    place: 'inline',
    says: (attribute) => {
      const time = Number(attribute('timestamp'));
      const date = new Date(time);
      if (attribute('timestamp') && !Number.isNaN(date.getTime()) && time % 86_400_000 === 0)
        return date.toISOString().slice(0, 10);
      return attribute('timestamp', 'date', 'value', 'datetime');
    },
  },
  status: {
    place: 'inline',
    says: (attribute) => `[${attribute('text', 'label', 'value', 'status')}]`,
  },
  image: media('!'),
  imageblock: media('!'),
  inlineimage: { ...media('!'), place: 'inline' },
  img: media('!'),
  video: media(''),
  audio: media(''),
  youtube: media(''),
  iframe: media(''),
  media: media(''),
  mediainline: { ...media(''), place: 'inline' },
  attachment: media(''),
  file: media(''),
  blob: upload,
  embed: card('block'),
  embedcard: card('block'),
  blockcard: card('block'),
  bookmark: card('block'),
  linkpreview: card('block'),
  inlinecard: card('inline'),
  inlinemath: formula('inline'),
  mathinline: formula('inline'),
  math: formula('inline'),
  mathematics: formula('inline'),
  equation: formula('inline'),
  inlineequation: formula('inline'),
  blockmath: formula('block'),
  mathblock: formula('block'),
  mathdisplay: formula('block'),
  blockequation: formula('block'),
};

/** Marks that change how a text looks, not what it says. */
const plainMarks = new Set(
  'bold strong italic em emphasis underline u strike strikethrough s del code codeinline highlight textstyle textcolor color fontsize fontfamily backgroundcolor background subscript superscript sub sup subsup alignment textalign indentation breakout border small'.split(
    ' ',
  ),
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
const others = (attributes: ReadonlyMap<string, unknown>, isSaid: (name: string, value: string) => boolean) =>
  [...attributes]
    .filter(([name, value]) => !isMissing(value) && !isSaid(name, inWords(value)))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ` ${name}=${inWords(value)}`)
    .join('');

/** What is read in the place of a node, or before its children: what it is about, and whatever else it holds. */
export function wordsOf(node: RichNode, kind: Kind | null, isLeaf: boolean): string {
  const attributes = attributesOf(node);
  if (!kind) {
    const text = typeof node.text === 'string' && node.text ? ` ${node.text}` : '';
    return `{${inWords(node.type ?? 'node')}${text}${others(attributes, (name) => name === 'id' && !isLeaf)}}`;
  }
  const said = new Set(kind.silent);
  const attribute: Attributes = (...wanted) => {
    for (const name of wanted) {
      const value = attributes.get(name);
      if (typeof value !== 'boolean' && typeof value !== 'number' && (typeof value !== 'string' || value === ''))
        continue;
      said.add(name).add(`=${value}`);
      return String(value);
    }
    return '';
  };
  const isText = node.type === 'text';
  if (!isText && node.text !== undefined && !attributes.has('text')) attributes.set('text', node.text);
  const words = kind.says?.(attribute, node) ?? '';
  if (attributes.size === 0) return words;
  const isSaid = (name: string, value: string) =>
    name === 'id' || looks.test(name) || (isText && plainMarks.has(name)) || said.has(name) || said.has(`=${value}`);
  const rest = others(attributes, isSaid);
  return rest ? `${words}{${rest.slice(1)}}` : words;
}

/** A mark that says something, as what is read around its text. */
export interface Mark {
  opening: string;
  closing: string;
}

const links = new Set(['link', 'a']);

/** Whether a node is a link around its children, which ProseMirror has as a mark of each. */
export const isLink = (node: RichNode) => links.has(typeOf(node));

/** The marks of a node that say something: links with their targets, and whatever is not known. */
export function marksOf({ marks }: RichNode): Mark[] {
  if (marks === undefined || isMissing(marks)) return [];
  return (Array.isArray(marks) ? marks : [marks]).flatMap((given): Mark[] => {
    const mark: RichNode = isNode(given) ? given : { type: given };
    const type = inWords(mark.type ?? 'mark');
    const name = canonical(type);
    if (plainMarks.has(name)) return [];
    const attributes = attributesOf(mark);
    if (!links.has(name)) return [{ opening: '{', closing: ` | ${type}${others(attributes, () => false)}}` }];
    const target = inWords(address.map((key) => attributes.get(key)).find((value) => !isMissing(value)) ?? '');
    const rest = others(
      attributes,
      (key, value) => key === 'id' || key === 'title' || looks.test(key) || value === target,
    );
    return [{ opening: '[', closing: `](${target}${rest})` }];
  });
}
