const read = (page) => JSON.parse(page.getElementById('settings').textContent);
let { token, examples } = read(document);
const givenToken = document.getElementById('token');
const currentToken = () => token ?? givenToken?.value.trim();

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

async function copy(block, button, label) {
  const code = block.querySelector(`pre[data-language="${languageOf(block)}"] code`);
  const say = (text, ariaLabel = text) => Object.assign(button, { textContent: text, ariaLabel });
  try {
    await navigator.clipboard.writeText(code.textContent);
    say('Copied');
  } catch {
    // Browsers allow the clipboard on https and localhost only.
    getSelection().selectAllChildren(code);
    say('Press Ctrl+C');
  }
  setTimeout(() => say('Copy', label), 2000);
}

const languageOf = (block) => block.querySelector('.languages input:checked').value;

/** What Run sends: the example in the language that is shown, or the body that the reader has edited. */
function requestOf(block) {
  const { path, body, query } = examples[block.dataset.example];
  if (languageOf(block) === 'graphql') return { path: '/graphql', body: JSON.stringify({ query }) };
  return { path, body: document.getElementById(`${block.dataset.example}-body`)?.value ?? JSON.stringify(body) };
}

async function send({ path, body, token: own }, result) {
  result.replaceChildren(element('p', { textContent: 'Sending…' }));
  const headers = { Authorization: `Bearer ${own ?? currentToken()}`, 'Content-Type': 'application/json' };
  const start = performance.now();
  try {
    const response = await fetch(path, { method: 'POST', headers, body });
    const answer = await response.json();
    show(response, answer, Math.round(performance.now() - start), result);
    return response.ok && !answer.errors;
  } catch (error) {
    result.replaceChildren(element('p', { className: 'failed', textContent: `No response: ${error.message}` }));
    return false;
  }
}

function show(response, answer, milliseconds, result) {
  const code = answer.code ?? answer.errors?.[0]?.extensions?.code;
  const status = element('strong', {
    className: code ? 'failed' : 'ok',
    textContent: `${response.status} ${response.statusText}`,
  });
  const line = element('p', {}, status, ` in ${milliseconds} ms`);
  if (code) line.append(' · ', element('a', { href: `/errors/${code}`, textContent: `What ${code} means` }));
  const text = element('code', {}, ...highlighted(JSON.stringify(answer, null, 2)));
  const pre = element('pre', { tabIndex: 0, role: 'region', ariaLabel: `Response: ${result.id}` }, text);
  result.replaceChildren(line, pre);
  result.scrollIntoView({ block: 'nearest' });
}

/** JSON with its strings marked, as in the samples. */
const highlighted = (json) =>
  json
    .split(/("(?:\\.|[^"\\])*")/)
    .map((part, index) => (index % 2 === 1 ? element('span', { className: 'string', textContent: part }) : part));

/** After a change, the examples offer what can be done next. */
async function renew() {
  const response = await fetch(location.pathname, { headers: { Accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  ({ token, examples } = read(page));
  for (const code of page.querySelectorAll('pre[data-language] code')) {
    document.getElementById(code.id)?.replaceChildren(...code.childNodes);
  }
  for (const area of document.querySelectorAll('textarea')) {
    const isEdited = area.value !== area.defaultValue;
    area.defaultValue = page.getElementById(area.id).defaultValue;
    if (!isEdited) area.value = area.defaultValue;
  }
}

async function run(block, request) {
  if (block.ariaBusy) return;
  block.ariaBusy = 'true';
  // Not `disabled`, which would take the focus away from the keyboard.
  const buttons = block.querySelectorAll('button:not(.copy)');
  for (const button of buttons) button.ariaDisabled = 'true';
  const succeeded = await send(request, block.querySelector('.result'));
  if (succeeded && token) await renew();
  for (const button of buttons) button.ariaDisabled = null;
  block.ariaBusy = null;
}

function offerRun() {
  for (const button of document.querySelectorAll('button.run, .mistakes')) button.hidden = !currentToken();
}

for (const block of document.querySelectorAll('.example')) {
  const copyButton = block.querySelector('.copy');
  copyButton.hidden = false;
  const { ariaLabel } = copyButton;
  copyButton.addEventListener('click', () => copy(block, copyButton, ariaLabel));
  block.querySelector('.run').addEventListener('click', () => run(block, requestOf(block)));
  for (const button of block.querySelectorAll('[data-mistake]')) {
    button.addEventListener('click', () => {
      const { path, body, token: own } = examples[block.dataset.example].mistakes[button.dataset.mistake];
      run(block, { path, body: JSON.stringify(body), token: own });
    });
  }
}

// One choice of language holds for every example of the page.
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.languages input')) return;
  for (const input of document.querySelectorAll(`.languages input[value="${target.value}"]`)) input.checked = true;
});

for (const part of document.querySelectorAll('.needs-script')) part.hidden = false;
givenToken?.addEventListener('input', offerRun);
offerRun();
