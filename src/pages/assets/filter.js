/** Filters a page by the names on it: paths, fields, types and codes. What a heading says holds for all below it. */
const field = document.getElementById('filter');
const outcome = document.getElementById('filter-outcome');
const textOf = (parts) => parts.map(({ textContent }) => textContent.toLowerCase()).join(' ');
const named = (part, selector) => ({ part, text: textOf([...part.querySelectorAll(selector)]), wasOpen: part.open });
const all = (selector) => [...document.querySelectorAll(`main ${selector}`)];

const entries = [
  ...all('.fields > li').map((part) => named(part, ':scope > p:first-child')),
  ...all(':is(tbody tr, .rows > li)').map((part) => named(part, ':scope > *')),
];

/** Parts with entries, the inner ones first. */
const groups = all(':is(section, .record, .sides > div > div)')
  .reverse()
  .map((part) => named(part, ':scope > :is(h2, .method, summary)'));

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ text }) => words.every((word) => text.includes(word));
  const headed = groups.filter(matches).map(({ part }) => part);
  const isHeaded = (part) => headed.some((group) => group !== part && group.contains(part));
  for (const entry of entries) entry.part.hidden = !matches(entry) && !isHeaded(entry.part);
  for (const { part, wasOpen } of groups) {
    const inside = entries.filter((entry) => part.contains(entry.part) && matches(entry));
    part.hidden = inside.length === 0 && !headed.includes(part) && !isHeaded(part);
    if (part.localName === 'details') part.open = words.length > 0 ? inside.length > 0 : wasOpen;
  }
  const found = [...entries, ...groups].filter(matches);
  outcome.textContent = words.length > 0 ? `${found.length} found` : '';
  mark(words, found);
}

/** Marks the words in the names that were found, where the browser can. */
function mark(words, found) {
  if (!CSS.highlights) return;
  const ranges = words.length > 0 ? found.slice(0, 200).flatMap(({ part }) => rangesOf(part, words)) : [];
  CSS.highlights.set('found', new Highlight(...ranges));
}

function rangesOf(part, words) {
  const ranges = [];
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!node.parentElement.closest('h2, .method, summary, .name, .type, td, .rows')) continue;
    const text = node.data.toLowerCase();
    for (const word of words) {
      for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + word.length)) {
        ranges.push(
          new StaticRange({
            startContainer: node,
            startOffset: start,
            endContainer: node,
            endOffset: start + word.length,
          }),
        );
      }
    }
  }
  return ranges;
}

field.closest('.needs-script').hidden = false;
field.addEventListener('input', filter);
if (field.value) filter();
