import { highlight } from './highlight.js';

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
  highlight(
    words,
    found.map(({ part }) => part),
    (part) => part.closest('h2, .method, summary, .name, .type, td, .rows') !== null,
  );
}

field.closest('.needs-script').hidden = false;
field.addEventListener('input', filter);
if (field.value) filter();
