import './blocks.js';
import { ExampleBlock } from './exampleBlock.js';
import { onOwnToken, tokenOf } from './token.js';

const settings = JSON.parse(document.getElementById('settings').textContent);
const blocks = new Map();

/** Looks up what a token may change. */
async function examplesOf(token) {
  const response = await fetch('/docs/examples', { headers: { Authorization: `Bearer ${token}` } });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.detail), { code: body.code });
  return body;
}

function offer(examples) {
  for (const [name, block] of blocks) block.offer(examples[name].choices);
}

/** In words, as far as a token is limited. */
const limitsOf = ({ scopes, surfaces }) =>
  [
    scopes && ` Of the operations, it may only run ${scopes.join(', ') || 'none'}.`,
    surfaces && ` It may only be used with ${surfaces.join(' and ')}.`,
  ]
    .filter(Boolean)
    .join('');

const page = {
  base: settings.base,
  demo: settings.token !== null,
  readOnlyToken: settings.readOnlyToken,
  /** What the token may do: `read` or `write`; undefined without a valid one. */
  access: settings.token === null ? undefined : 'write',
  /** The operations that it may run; null for all. */
  scopes: null,
  token: () => tokenOf(settings),
  /** Offers what the token may change now. The outcome is shown whether or not that is found. */
  async changed() {
    const token = page.token();
    const found = await examplesOf(token).catch(() => undefined);
    if (found && token === page.token()) offer(found.examples);
  },
  next({ name, from }, body) {
    const wanted = Object.entries(from).map(([field, source]) => [field, body[source]]);
    blocks.get(name)?.choose((choice) => wanted.every(([field, value]) => choice[field] === value));
  },
};

for (const block of document.querySelectorAll('.example[data-example]')) {
  const example = settings.examples[block.dataset.example];
  blocks.set(block.dataset.example, new ExampleBlock(block, example, page));
}

/** A link may bring the fields of a request, such as that to restore a version of the history. It runs nothing. */
const linked = blocks.get(location.hash.slice(1));
if (linked) linked.take(new URLSearchParams(location.search));

onOwnToken({
  forget() {
    page.access = undefined;
    for (const block of blocks.values()) block.reset();
  },
  async learn(token) {
    const { mayChange, examples, ...limits } = await examplesOf(token);
    return () => {
      page.access = mayChange ? 'write' : 'read';
      page.scopes = limits.scopes;
      for (const block of blocks.values()) block.offerRun();
      offer(examples);
      if (mayChange) return [`The examples below are on what this token may change.${limitsOf(limits)}`];
      return [
        'This token may change nothing. The examples are on what its person may change: Preview works, Run does not.',
      ];
    };
  },
});

// One choice of language holds for every example of the page.
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.languages input')) return;
  for (const input of document.querySelectorAll(`.languages input[value="${target.value}"]`)) input.checked = true;
});

for (const part of document.querySelectorAll('.needs-script')) part.hidden = false;
