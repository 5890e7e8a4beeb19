import { ask } from './ask.js';
import { element, meaningOf } from './elements.js';
import { highlight } from './highlight.js';
import { onOwnToken, tokenOf } from './token.js';

const settings = JSON.parse(document.getElementById('settings').textContent);
const [menu, name, field, unlisted, outcome, list, more] = [
  'document',
  'name',
  'text',
  'unlisted',
  'outcome',
  'versions',
  'more',
].map((id) => document.getElementById(id));

const documentsQuery = `query Documents {
  resourceHubs(first: 10) {
    pageInfo { hasNextPage }
    nodes { nodes(first: 30) {
      pageInfo { hasNextPage }
      nodes { ...Document ... on ResourceHubFolder { nodes(first: 20) { pageInfo { hasNextPage } nodes { __typename ...Document } } } }
    } }
  }
}
fragment Document on ResourceHubDocument { id name versionsCount }`;

const namedQuery = `query Named($text: String!) {
  resourceHubNodes(text: $text, first: 100) {
    pageInfo { hasNextPage }
    nodes { ... on ResourceHubDocument { id name versionsCount } }
  }
}`;

const documentQuery = 'query Named($id: ID!) { resourceHubDocument(id: $id) { id name versionsCount } }';

const versionsQuery = `query History($id: ID!, $after: String) {
  resourceHubDocument(id: $id) {
    id currentVersion versionsCount
    versions(first: 10, after: $after) {
      pageInfo { endCursor hasNextPage }
      nodes { versionNumber title origin restoredFromVersionNumber insertedAt editor { fullName } }
    }
  }
}`;

// Each version by itself: long texts are compared with the whole time of a request.
const textQuery = `query Text($id: ID!, $number: Int!) {
  resourceHubDocument(id: $id) {
    version(number: $number) {
      readableText { text number count }
      diffToPrevious {
        isFormattingOnly
        title { excerpt(size: 500) { changes { kind text } omitted } }
        content { excerpt(size: 5000) { changes { kind text } omitted } }
      }
    }
  }
}`;

const partQuery = `query Part($id: ID!, $number: Int!, $page: Int!) {
  resourceHubDocument(id: $id) { version(number: $number) { readableText(page: $page) { text number count } } }
}`;

const restoring = `mutation Restore($input: RestoreDocumentVersionInput!) {
  restoreDocumentVersion(input: $input) {
    document { id name currentVersion }
    restoredVersion { versionNumber restoredFromVersionNumber }
  }
}`;

/** The most pages that one click on "Look in older versions" reads. */
const mostPages = 10;

/** The document that is shown, with the versions read so far, newest first. */
let shown;

const read = (query, variables) => ask(query, variables, tokenOf(settings));
const numbers = new Intl.ListFormat('en', { type: 'conjunction' });

/** Version numbers as people say them: `1 to 4 and 7`. */
function inWords(found) {
  const runs = [];
  for (const number of found.toSorted((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last?.end === number - 1) last.end = number;
    else runs.push({ start: number, end: number });
  }
  return numbers.format(runs.map(({ start, end }) => (start === end ? `${start}` : `${start} to ${end}`)));
}

const origins = {
  PUBLISHED: () => 'Published',
  EDITED: () => 'Edited',
  RESTORED: ({ restoredFromVersionNumber: number }) => `Restored from version ${number}`,
};

/** A time as the reader of the page writes it, with the time zone that it is in. */
const times = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

const elementOf = { REMOVED: 'del', ADDED: 'ins' };

/** A difference, drawn. */
function differenceNodes(difference, of) {
  if (!difference) return [element('p', {}, 'This is the first version.')];
  const { title, content, isFormattingOnly } = difference;
  const drawn = (name, { changes, omitted }) => [
    element('h4', { textContent: name }),
    element(
      'div',
      { className: 'difference', role: 'region', ariaLabel: `${name}${of}, with its changes`, tabIndex: 0 },
      ...changes.map(({ kind, text }) => (elementOf[kind] ? element(elementOf[kind], { textContent: text }) : text)),
    ),
    ...(omitted > 0
      ? [element('p', { className: 'quiet' }, `${omitted.toLocaleString('en')} more characters differ.`)]
      : []),
  ];
  const parts = [
    ['Title', title],
    ['Content', content],
  ]
    .filter(([, { excerpt }]) => excerpt.changes.some(({ kind }) => kind !== 'UNCHANGED'))
    .flatMap(([name, { excerpt }]) => drawn(name, excerpt));
  if (isFormattingOnly) parts.push(element('p', { textContent: 'Only the formatting differs.' }));
  return parts.length > 0 ? parts : [element('p', {}, 'Nothing.')];
}

/** The text of a version, of which a long one comes part by part. */
function textNodes(version, first, of) {
  const region = element('div', { className: 'difference', role: 'region', ariaLabel: `Text${of}`, tabIndex: 0 });
  const next = element('button', { type: 'button' });
  let shownPart;
  const show = ({ text, number, count }) => {
    shownPart = number;
    region.append(text);
    version.words += text.toLowerCase();
    version.isWhole = number >= count;
    next.textContent = `Show part ${number + 1} of ${count}`;
    next.hidden = version.isWhole;
  };
  next.addEventListener('click', async () => {
    if (next.ariaDisabled) return;
    next.ariaDisabled = 'true';
    try {
      const part = { id: shown.id, number: version.versionNumber, page: shownPart + 1 };
      show((await read(partQuery, part)).resourceHubDocument.version.readableText);
      filter();
    } catch (error) {
      fail(error);
    }
    next.ariaDisabled = null;
  });
  show(first);
  return [region, next];
}

/** Where to restore a version: nothing is changed before the reader runs it. */
function restoreLink({ versionNumber }, { id: documentId, currentVersion: expectedCurrentVersion }) {
  const variables = JSON.stringify({ input: { documentId, versionNumber, expectedCurrentVersion } }, null, 2);
  const href = `/graphql?${new URLSearchParams({ query: restoring, variables })}`;
  return element('p', {}, element('a', { href, textContent: `Restore version ${versionNumber} in GraphiQL` }));
}

/** A version: what it says, beside what it changed. */
function versionNode(version, { readableText, diffToPrevious }, document) {
  const { versionNumber, title, origin, insertedAt, editor } = version;
  const isCurrent = versionNumber === document.currentVersion;
  const name = `Version ${versionNumber}`;
  const of = ` of version ${versionNumber}`;
  const heading = element('h2', {}, `${name}: `, element('span', { className: 'title', textContent: title }));
  if (isCurrent) heading.append(' ', element('span', { className: 'badge ok', textContent: 'current' }));
  const when = element('time', { dateTime: insertedAt, textContent: times.format(new Date(insertedAt)) });
  const side = (label, nodes) => element('div', {}, element('h3', { textContent: label }), ...nodes);
  return element(
    'section',
    { className: 'version', ariaLabel: name },
    heading,
    element('p', { className: 'quiet' }, `${origins[origin](version)} by ${editor.fullName}, `, when),
    element(
      'div',
      { className: 'exchange' },
      side('Text', textNodes(version, readableText, of)),
      side('What it changed', differenceNodes(diffToPrevious, of)),
    ),
    ...(isCurrent || !settings.canRestore ? [] : [restoreLink(version, document)]),
  );
}

/** Shows the versions that have the text, and says which they are. */
function filter() {
  const wanted = field.value.trim().toLowerCase();
  const { versions, versionsCount, next } = shown;
  const found = versions.filter(({ words }) => words.includes(wanted));
  for (const each of versions) each.node.hidden = !found.includes(each);
  more.hidden = !next;
  more.textContent = wanted ? 'Look in older versions' : 'Show older versions';
  const all = next ? `The newest ${versions.length} of ${versionsCount} versions.` : `${versions.length} versions.`;
  outcome.textContent = wanted ? answer(found) : all;
  const isText = (part) => part.closest('.title, .difference') !== null;
  highlight(
    wanted ? [wanted] : [],
    found.map(({ node }) => node),
    isText,
  );
}

function answer(found) {
  const { versions, currentVersion, next } = shown;
  const rest = [
    next && ' Older versions have not been looked at yet.',
    versions.some(({ isWhole }) => !isWhole) && ' Of long texts, only the parts that are shown have been looked at.',
  ];
  const unread = rest.filter(Boolean).join('');
  if (found.length === 0) return `No version has this text.${unread}`;
  const all = found.map(({ versionNumber }) => versionNumber);
  const [subject, verb] = all.length === 1 ? ['Version', 'has'] : ['Versions', 'have'];
  const current = all.includes(currentVersion) ? '' : ' The current version does not.';
  return `${subject} ${inWords(all)} ${verb} this text.${current}${unread}`;
}

/** Reads the next page of the document. Returns whether it is still the one that is shown. */
async function readPage(document) {
  const { resourceHubDocument: found } = await read(versionsQuery, { id: document.id, after: document.next });
  if (document !== shown) return false;
  const { versions, ...facts } = found;
  Object.assign(document, facts, { next: versions.pageInfo.hasNextPage ? versions.pageInfo.endCursor : undefined });
  for (const version of versions.nodes) {
    const { resourceHubDocument } = await read(textQuery, { id: document.id, number: version.versionNumber });
    if (document !== shown) return false;
    const entry = Object.assign(version, { words: `${version.title}\n`.toLowerCase() });
    entry.node = versionNode(entry, resourceHubDocument.version, document);
    document.versions.push(entry);
    list.append(entry.node);
    filter();
  }
  return true;
}

function fail({ code, message }) {
  outcome.replaceChildren(message, ' ', ...(code ? [meaningOf(code)] : []));
}

async function showDocument(id) {
  const document = { id, versions: [] };
  shown = document;
  list.replaceChildren();
  more.hidden = true;
  field.disabled = false;
  await reading(document, () => readPage(document));
}

/** One reading at a time: meanwhile the page asks for no more. */
async function reading(document, work) {
  more.ariaDisabled = 'true';
  await work().catch((error) => document === shown && fail(error));
  more.ariaDisabled = null;
}

/** The next page; with a text, the pages up to one that has it. */
async function showMore() {
  if (more.ariaDisabled) return;
  const document = shown;
  const before = visible();
  await reading(document, async () => {
    for (let page = 0; page < mostPages && document.next; page += 1) {
      if (!(await readPage(document)) || !field.value.trim() || visible() > before) break;
    }
  });
}

const visible = () => shown.versions.filter(({ node }) => !node.hidden).length;

/** The documents among nodes that have versions, and what to say if there are others. */
const found = (nodes, hasMore, note) => ({
  documents: nodes.filter(({ versionsCount }) => versionsCount > 0),
  note: hasMore ? note : '',
});

/** The documents of the hubs that the token can read and their folders, as far as a list is of use. */
async function documentsOf(token) {
  const { resourceHubs } = await ask(documentsQuery, {}, token);
  const lists = [resourceHubs, ...resourceHubs.nodes.map(({ nodes }) => nodes)];
  const inHubs = lists.slice(1).flatMap(({ nodes }) => nodes);
  const inFolders = inHubs.flatMap(({ nodes }) => nodes ?? []);
  const nodes = [...inHubs, ...inFolders.flatMap((folder) => folder.nodes)];
  const isCut = [...lists, ...inFolders].some(({ pageInfo }) => pageInfo.hasNextPage);
  const isDeeper = inFolders.some((folder) => folder.nodes.some((node) => node.__typename === 'ResourceHubFolder'));
  return found(nodes, isCut || isDeeper, 'Not all documents are listed: find the others by name.');
}

/** The documents that are called so. */
async function documentsNamed(text) {
  const { nodes, pageInfo } = (await read(namedQuery, { text })).resourceHubNodes;
  return found(nodes, pageInfo.hasNextPage, 'More have this name: give more of it.');
}

function fillMenu({ documents, note }) {
  menu.replaceChildren(...documents.map(({ id, name: title }) => element('option', { value: id, textContent: title })));
  menu.disabled = documents.length === 0;
  unlisted.textContent = note;
}

/** What the menu has while nothing is looked for. */
let listed;

/** Offers documents, and shows the one of the address, that of the demo, or the first. */
async function offer(all) {
  const asked = new URLSearchParams(location.search).get('document') ?? settings.first;
  listed = all;
  if (asked && !all.documents.some(({ id }) => id === asked)) {
    // One that cannot be read is shown as the failure that it is.
    const one = await read(documentQuery, { id: asked }).catch(() => undefined);
    listed = { ...all, documents: [one?.resourceHubDocument ?? { id: asked, name: asked }, ...all.documents] };
  }
  fillMenu(listed);
  if (asked) menu.value = asked;
  if (listed.documents.length === 0) outcome.textContent = 'This token can read no document that has versions.';
  else showDocument(menu.value);
}

/** Lists the documents with the name that is typed, and shows the first, unless the one that is shown is among them. */
async function find() {
  const text = name.value.trim();
  const named = [...text].length < 2 ? listed : await documentsNamed(text);
  if (!named || text !== name.value.trim()) return;
  if (named.documents.length === 0) {
    unlisted.textContent = 'No document has this name.';
    return;
  }
  fillMenu(named);
  if (named.documents.some(({ id }) => id === shown?.id)) menu.value = shown.id;
  else choose();
}

function choose() {
  history.replaceState(null, '', `?${new URLSearchParams({ document: menu.value })}`);
  showDocument(menu.value);
}

menu.addEventListener('change', choose);
let typing;
name.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => find().catch(fail), 250);
});
field.addEventListener('input', () => shown && filter());
more.addEventListener('click', showMore);
for (const part of document.querySelectorAll('.needs-script')) part.hidden = false;

onOwnToken({
  forget() {
    shown = undefined;
    listed = undefined;
    name.value = '';
    for (const part of [list, unlisted, outcome, menu]) part.replaceChildren();
    for (const part of [name, menu, field]) part.disabled = true;
    more.hidden = true;
  },
  async learn(token) {
    const documents = await documentsOf(token);
    return () => {
      name.disabled = false;
      offer(documents);
      return [];
    };
  },
});
if (settings.token) documentsOf(settings.token).then(offer, fail);
