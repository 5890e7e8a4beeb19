import { element } from './elements.js';
import { highlight } from './highlight.js';

/** Searches the guide, the errors, the settings and the REST operations. What it searches is loaded once, when it is used. */
const field = document.getElementById('search');
const list = document.getElementById('search-results');
const outcome = document.getElementById('search-outcome');
const article = document.querySelector('article');
const most = 20;
/** The heading of the page while its own is hidden. */
const heading = element('h1', { className: 'unseen', textContent: 'Search results' });

let index;
const load = () => {
  index ??= Promise.all([import('./minisearch.js'), fetch('/guide/search.json')])
    .then(async ([{ default: MiniSearch }, response]) => {
      if (!response.ok) throw new Error(`status ${response.status}`);
      const records = await response.json();
      const made = new MiniSearch({
        fields: ['title', 'page', 'text'],
        storeFields: ['kind', 'title', 'page', 'url', 'text'],
        searchOptions: {
          boost: { title: 6, page: 2 },
          prefix: true,
          fuzzy: (term) => (term.length > 4 ? 0.2 : false),
          combineWith: 'AND',
          // Most people search for how to do something; the reasons come after that.
          boostDocument: (_id, _term, { page }) => (page === 'Decisions' ? 0.3 : 1),
        },
      });
      made.addAll(records.map((record, id) => ({ id, ...record })));
      return made;
    })
    .catch((error) => {
      index = undefined;
      throw error;
    });
  return index;
};

/** What surrounds the first of these words in a text. */
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0));
  const from = Number.isFinite(first) ? Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 60))) : 0;
  const to = text.length > from + 180 ? text.lastIndexOf(' ', from + 180) : text.length;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to).trim()}${to < text.length ? ' …' : ''}`;
}

function resultOf({ kind, title, page, url, text, terms }) {
  const link = element('a', { href: url, textContent: title });
  const about = element('span', { className: 'quiet', textContent: page ? `${kind} · ${page}` : kind });
  return element('li', {}, link, ' ', about, element('p', { textContent: excerpt(text, terms) }));
}

async function search() {
  const asked = field.value.trim();
  article.hidden = asked !== '';
  if (asked === '') heading.remove();
  else outcome.before(heading);
  list.hidden = asked === '';
  if (asked === '') {
    list.replaceChildren();
    outcome.textContent = '';
    return;
  }
  try {
    const found = (await load()).search(asked);
    if (field.value.trim() !== asked) return;
    list.replaceChildren(...found.slice(0, most).map(resultOf));
    outcome.textContent =
      found.length > most ? `${found.length} found, the best ${most} shown` : `${found.length} found`;
    highlight([...new Set(found.slice(0, most).flatMap(({ terms }) => terms))], [list], () => true);
  } catch {
    outcome.textContent = 'The search could not be loaded. Try again.';
  }
}

function clear() {
  field.value = '';
  search();
  field.focus();
}

/** The arrows lead from the field through the results, and back. */
function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape' && field.value) clear();
  if (event.key === 'Enter' && event.target === field) list.querySelector('a')?.click();
  if (!step) return;
  const stops = [field, ...list.querySelectorAll('a')];
  stops[stops.indexOf(document.activeElement) + step]?.focus();
  event.preventDefault();
}

field.closest('.needs-script').hidden = false;
field.addEventListener('focus', () => load().catch(() => {}), { once: true });
field.addEventListener('input', search);
field.closest('.find').addEventListener('keydown', move);
// A result on this page is behind the results.
list.addEventListener('click', ({ target }) => {
  if (target.closest('a')?.pathname !== location.pathname) return;
  field.value = '';
  search();
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input')) return;
  event.preventDefault();
  field.focus();
});
if (field.value) search();
