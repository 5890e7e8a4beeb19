import { makeCopyButton } from './copy.js';
import { meaningOf } from './elements.js';
import { ExampleBlock } from './exampleBlock.js';
import { onOwnToken, tokenOf } from './token.js';

const settings = JSON.parse(document.getElementById('settings').textContent);
const blocks = new Map();

/** Looks up what this tab's token may change. */
async function examplesOf(token) {
  const response = await fetch('/docs/examples', { headers: { Authorization: `Bearer ${token}` } });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.detail), { code: body.code });
  return body.examples;
}

/** Offers what the token may change now. */
async function renew() {
  const examples = await examplesOf(tokenOf(settings));
  for (const [name, block] of blocks) block.offer(examples[name].choices);
}

const page = {
  base: settings.base,
  demo: settings.token !== null,
  readOnlyToken: settings.readOnlyToken,
  token: () => tokenOf(settings),
  // The outcome is shown whether or not the next examples are found.
  changed: () => renew().catch(() => {}),
  next({ name, from }, body) {
    const wanted = Object.entries(from).map(([field, source]) => [field, body[source]]);
    blocks.get(name)?.choose((choice) => wanted.every(([field, value]) => choice[field] === value));
  },
};

for (const block of document.querySelectorAll('.example[data-example]')) {
  const example = settings.examples[block.dataset.example];
  blocks.set(block.dataset.example, new ExampleBlock(block, example, page));
}

/** What the token is good for, below its field. */
function say(...parts) {
  document.getElementById('token-outcome').replaceChildren(...parts);
}

onOwnToken(async () => {
  for (const block of blocks.values()) block.offerRun();
  if (!page.token()) return say();
  try {
    await renew();
    say('The examples below are on what this token may change.');
  } catch (error) {
    say(error.message, ' ', ...(error.code ? [meaningOf(error.code)] : []));
  }
});

// One choice of language holds for every example of the page.
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.languages input')) return;
  for (const input of document.querySelectorAll(`.languages input[value="${target.value}"]`)) input.checked = true;
});

for (const block of document.querySelectorAll('.token')) {
  makeCopyButton(block.querySelector('.copy'), () => block.querySelector('code'));
}

for (const part of document.querySelectorAll('.needs-script')) part.hidden = false;
