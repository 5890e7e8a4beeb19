import { ask } from './ask.js';
import { drawn } from './drawn.js';
import { element, meaningOf } from './elements.js';
import { highlight } from './highlight.js';
import { differenceNodes } from './preview.js';
import { plainText } from './reading.js';
import { onOwnToken, tokenOf } from './token.js';

const settings = JSON.parse(document.getElementById('settings').textContent);
const [menu, field, outcome, list, more] = ['document', 'text', 'outcome', 'versions', 'more'].map((id) =>
  document.getElementById(id),
);

const query = `query History($id: ID!, $after: String) {
  resourceHubDocument(id: $id) {
    id currentVersion versionsCount
    versions(first: 10, after: $after) {
      pageInfo { endCursor hasNextPage }
      nodes {
        versionNumber title content origin restoredFromVersionNumber insertedAt
        editor { fullName }
        diffToPrevious {
          title { changes { kind text } }
          content { changes { kind text } }
          isFormattingOnly
        }
      }
    }
  }
}`;

/** The most pages that one click on "Look in older versions" reads. */
const mostPages = 10;

/** The document that is shown, with the versions read so far, newest first. */
let shown;

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

const text = (content, ariaLabel) =>
  element('div', { className: 'difference drawn', role: 'region', ariaLabel, tabIndex: 0 }, ...drawn(content));

/** A time as the reader of the page writes it, with the time zone that it is in. */
const times = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

function restoreLink({ versionNumber }, { id, currentVersion }) {
  const request = { document_id: id, version_number: versionNumber, expected_current_version: currentVersion };
  const href = `/docs?${new URLSearchParams(request)}#restoreDocumentVersion`;
  return element('p', {}, element('a', { href, textContent: `Restore version ${versionNumber}` }));
}

/** A version: what it says, beside what it changed. */
function versionNode(version, document) {
  const { versionNumber, title, content, origin, insertedAt, editor, diffToPrevious } = version;
  const isCurrent = versionNumber === document.currentVersion;
  const name = `Version ${versionNumber}`;
  const heading = element('h2', {}, `${name}: `, element('span', { className: 'title', textContent: title }));
  if (isCurrent) heading.append(' ', element('span', { className: 'badge ok', textContent: 'current' }));
  const when = element('time', { dateTime: insertedAt, textContent: times.format(new Date(insertedAt)) });
  const changes = diffToPrevious
    ? differenceNodes(diffToPrevious, ` of version ${versionNumber}`)
    : [element('p', {}, 'This is the first version.')];
  if (changes.length === 0) changes.push(element('p', {}, 'Nothing.'));
  const side = (label, ...nodes) => element('div', {}, element('h3', { textContent: label }), ...nodes);
  return element(
    'section',
    { className: 'version', ariaLabel: name },
    heading,
    element('p', { className: 'quiet' }, `${origins[origin](version)} by ${editor.fullName}, `, when),
    element(
      'div',
      { className: 'exchange' },
      side('Text', text(content, `Text of version ${versionNumber}`)),
      side('What it changed', ...changes),
    ),
    ...(isCurrent ? [] : [restoreLink(version, document)]),
  );
}

/** Shows the versions that have the text, and says which they are. */
function filter() {
  const wanted = field.value.trim().toLowerCase();
  const has = ({ words }) => words.includes(wanted);
  const { versions, currentVersion, versionsCount, next } = shown;
  for (const each of versions) each.node.hidden = !has(each);
  const found = versions.filter(has);
  more.hidden = !next;
  more.textContent = wanted ? 'Look in older versions' : 'Show older versions';
  const read = next ? `The newest ${versions.length} of ${versionsCount} versions.` : `${versions.length} versions.`;
  outcome.textContent = wanted ? answer(found, { currentVersion, next }) : read;
  const isText = (part) => part.closest('.title, .difference') !== null;
  highlight(
    wanted ? [wanted] : [],
    found.map(({ node }) => node),
    isText,
  );
}

function answer(found, { currentVersion, next }) {
  const rest = next ? ' Older versions have not been looked at yet.' : '';
  if (found.length === 0) return `No version has this text.${rest}`;
  const all = found.map(({ versionNumber }) => versionNumber);
  const [subject, verb] = all.length === 1 ? ['Version', 'has'] : ['Versions', 'have'];
  const current = all.includes(currentVersion) ? '' : ' The current version does not.';
  return `${subject} ${inWords(all)} ${verb} this text.${current}${rest}`;
}

/** Reads the next page of the document. Returns whether it is still the one that is shown. */
async function readPage(document) {
  const { resourceHubDocument: found } = await ask(query, { id: document.id, after: document.next }, tokenOf(settings));
  if (document !== shown) return false;
  const { versions, ...facts } = found;
  Object.assign(document, facts, { next: versions.pageInfo.hasNextPage ? versions.pageInfo.endCursor : undefined });
  for (const version of versions.nodes) {
    const node = versionNode(version, document);
    const words = `${version.title}\n${plainText(version.content)}`.toLowerCase();
    document.versions.push({ versionNumber: version.versionNumber, words, node });
    list.append(node);
  }
  filter();
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
  await readPage(document).catch((error) => document === shown && fail(error));
}

/** The next page; with a text, the pages up to one that has it. */
async function showMore() {
  if (more.ariaDisabled) return;
  more.ariaDisabled = 'true';
  const document = shown;
  const before = visible();
  try {
    for (let page = 0; page < mostPages && document.next; page += 1) {
      if (!(await readPage(document)) || !field.value.trim() || visible() > before) break;
    }
  } catch (error) {
    if (document === shown) fail(error);
  }
  more.ariaDisabled = null;
}

const visible = () => shown.versions.filter(({ node }) => !node.hidden).length;

/** Offers the documents that the token can read, and shows the one of the address, or the first. */
function offer(documents) {
  const asked = new URLSearchParams(location.search).get('document');
  const known = documents.some(({ id }) => id === asked);
  const all = asked && !known ? [{ id: asked, name: asked }, ...documents] : documents;
  menu.replaceChildren(...all.map(({ id, name }) => element('option', { value: id, textContent: name })));
  menu.disabled = all.length === 0;
  if (asked) menu.value = asked;
  if (all.length === 0) outcome.textContent = 'This token can read no document that has versions.';
  else showDocument(menu.value);
}

async function documentsOf(token) {
  const response = await fetch('/history/choices', { headers: { Authorization: `Bearer ${token}` } });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.detail), { code: body.code });
  return body.documents;
}

menu.addEventListener('change', () => {
  history.replaceState(null, '', `?${new URLSearchParams({ document: menu.value })}`);
  showDocument(menu.value);
});
field.addEventListener('input', () => shown && filter());
more.addEventListener('click', showMore);
for (const part of document.querySelectorAll('.needs-script')) part.hidden = false;

onOwnToken({
  forget() {
    shown = undefined;
    for (const part of [list, outcome, menu]) part.replaceChildren();
    for (const part of [menu, field]) part.disabled = true;
    more.hidden = true;
  },
  async learn(token) {
    const documents = await documentsOf(token);
    return () => {
      offer(documents);
      return [];
    };
  },
});
if (settings.token) documentsOf(settings.token).then(offer, fail);
