const { demo, headers, queries } = JSON.parse(document.getElementById('settings').textContent);

/** Reads the schema, which is public, without a token. Sends everything else as any other client would. */
async function fetcher(params, { headers: given = {} } = {}) {
  if (params.operationName === 'IntrospectionQuery') return (await fetch('/graphiql/schema.json')).json();
  const start = performance.now();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      Accept: 'application/graphql-response+json, application/json',
      'Content-Type': 'application/json',
      'GraphQL-Cost': 'report',
      ...given,
    },
    body: JSON.stringify(params),
  });
  const { extensions: { cost, ...others } = {}, ...answer } = await response.json();
  const milliseconds = Math.round(performance.now() - start);
  showOutcome([`${response.status} ${response.statusText}`, `${milliseconds} ms`, ...costLines(cost)].join(' · '));
  if (Object.keys(others).length > 0) answer.extensions = others;
  return answer;
}

const shown = (number) => number.toLocaleString('en');

/** The cost of a request against its limits: below the response, which then has only what any client gets. */
function costLines(cost) {
  if (!cost) return [];
  const { limits } = cost;
  return ['complexity', 'depth'].map((name) => `${name} ${shown(cost[name])} of ${shown(limits[name])}`);
}

/** Storage that a reload empties, because the ids and the token of the demo may have changed by then. */
function memory() {
  const items = new Map();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
    get length() {
      return items.size;
    },
  };
}

const storage = demo && memory();
const root = ReactDOM.createRoot(document.getElementById('graphiql'));

let outcome = '';

/** Shows GraphiQL. A query replaces what its current tab has; without one, the tab keeps its own. */
function render(query) {
  const properties = {
    fetcher,
    ...(query && { query }),
    defaultQuery: queries[0],
    defaultHeaders: headers,
    // On a phone the query needs the room.
    defaultEditorToolsVisibility: matchMedia('(max-width: 40rem)').matches ? false : 'headers',
    ...(demo && { storage, shouldPersistHeaders: true }),
  };
  const status = React.createElement('p', { role: 'status', className: 'outcome' }, outcome);
  root.render(React.createElement(GraphiQL, properties, React.createElement(GraphiQL.Footer, null, status)));
}

function showOutcome(text) {
  outcome = text;
  render();
}

const menu = document.getElementById('examples');
menu.addEventListener('change', () => render(queries[menu.value]));
render(demo ? queries[0] : undefined);
