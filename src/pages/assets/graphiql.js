import { ask } from './ask.js';
import { makeCopyButton } from './copy.js';
import { liveResponses } from './liveResponses.js';
import { onOwnToken, tokenOf } from './token.js';

const settings = JSON.parse(document.getElementById('settings').textContent);

/** Reads the schema, which is public, without a token. Sends everything else as any other client would. */
async function fetcher(params, { headers = {} } = {}) {
  if (params.operationName === 'IntrospectionQuery') return (await fetch('/graphiql/schema.json')).json();
  const token = tokenOf(settings);
  const start = performance.now();
  const stop = new AbortController();
  const response = await fetch('/graphql', {
    method: 'POST',
    signal: stop.signal,
    headers: {
      Accept: 'application/graphql-response+json, application/json, text/event-stream',
      'Content-Type': 'application/json',
      'GraphQL-Cost': 'report',
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(params),
  });
  if (response.headers.get('Content-Type').startsWith('text/event-stream')) {
    const say = (state) => showOutcome(`${response.status} ${response.statusText} · ${state}`);
    say('listening');
    return liveResponses(response.body, stop, say);
  }
  const { extensions: { cost, ...others } = {}, ...result } = await response.json();
  const milliseconds = Math.round(performance.now() - start);
  showOutcome([`${response.status} ${response.statusText}`, `${milliseconds} ms`, ...costLines(cost)].join(' · '));
  if (Object.keys(others).length > 0) result.extensions = others;
  return result;
}

const shown = (number) => number.toLocaleString('en');

/** The cost of a request against its limits: below the response, which then has only what any client gets. */
function costLines(cost) {
  if (!cost) return [];
  const { limits } = cost;
  return ['complexity', 'depth'].map((name) => `${name} ${shown(cost[name])} of ${shown(limits[name])}`);
}

/** What a link has: `?query=` and `&variables=`. A reload keeps what was typed since, so it leaves the address. */
function takeLinked() {
  const { searchParams } = new URL(location.href);
  if (!searchParams.has('query')) return {};
  history.replaceState(null, '', location.pathname);
  return { query: searchParams.get('query'), variables: searchParams.get('variables') ?? '' };
}

/** Variables as the editor has them: nothing if there are none. */
const textOf = (variables) => (Object.keys(variables).length > 0 ? JSON.stringify(variables, null, 2) : '');

const linked = takeLinked();
const root = ReactDOM.createRoot(document.getElementById('graphiql'));

const properties = {
  fetcher,
  ...linked,
  defaultQuery: settings.queries[0].query,
  variables: linked.variables ?? textOf(settings.queries[0].variables),
  // On a phone the query needs the room.
  defaultEditorToolsVisibility: linked.variables ? 'variables' : false,
  // The ids of the demo may have changed by the next visit.
  ...(settings.token && { storage: sessionStorage }),
  showPersistHeadersSettings: false,
};

function showOutcome(text) {
  const status = React.createElement('p', { role: 'status', className: 'outcome' }, text);
  root.render(React.createElement(GraphiQL, properties, React.createElement(GraphiQL.Footer, null, status)));
}

/** The text areas of the editors, for which GraphiQL has no names, and the response, which the keyboard must scroll. */
function nameEditors() {
  for (const area of document.querySelectorAll('#graphiql .CodeMirror textarea:not([aria-label])')) {
    area.ariaLabel = area.closest('section[aria-label]')?.ariaLabel ?? 'Response';
  }
  for (const part of document.querySelectorAll('#graphiql .CodeMirror-scroll[tabindex="-1"]')) part.tabIndex = 0;
}

new MutationObserver(nameEditors).observe(document.getElementById('graphiql'), { childList: true, subtree: true });
showOutcome('Press Run or Ctrl+Enter for a response.');

const [queryEditor, variablesEditor] = ['.graphiql-query-editor', '.graphiql-editor-tool'].map(
  (pane) => () => document.querySelector(`${pane} .CodeMirror`).CodeMirror,
);

const menu = document.getElementById('examples');
menu.addEventListener('change', async () => {
  const { query, variables } = settings.queries[menu.value];
  const chosen = menu.value;
  // What the reader has typed stays in its tab.
  if (isTyped()) {
    document.querySelector('#graphiql [aria-label="Add tab"]').click();
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  }
  const editor = queryEditor();
  editor.off('change', leaveExample);
  editor.setValue(query);
  variablesEditor().setValue(textOf(variables));
  menu.value = chosen;
  editor.on('change', leaveExample);
});

/** Whether the editor has what no example has. */
function isTyped() {
  const text = queryEditor().getValue().trim();
  return text !== '' && settings.queries.every(({ query }) => query.trim() !== text);
}

/** The menu names the example for as long as the editor has it as it is. Then the same one can be chosen again. */
function leaveExample(editor) {
  if (editor.getValue() !== settings.queries[menu.value]?.query) menu.value = '';
}

/** What a colleague needs to see the same query. It has no token. */
makeCopyButton(document.querySelector('.toolbar .copy'), () => {
  const link = new URL(location.pathname, location.origin);
  link.searchParams.set('query', queryEditor().getValue());
  const variables = variablesEditor().getValue().trim();
  if (variables) link.searchParams.set('variables', variables);
  return Object.assign(document.getElementById('link'), { textContent: link.href });
});

onOwnToken({
  forget() {},
  async learn(token) {
    const { viewer } = await ask('{ viewer { person { fullName } token { canWrite } } }', {}, token);
    const { person, token: found } = viewer;
    const may = found.canWrite ? '' : ', and may change nothing';
    return () => [`This token acts for ${person.fullName}${may}.`];
  },
});
