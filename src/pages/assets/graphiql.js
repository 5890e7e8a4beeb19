const { demo, headers, queries } = JSON.parse(document.getElementById('settings').textContent);

/** Reads the schema, which is public, without a token. Sends everything else as any other client would. */
async function fetcher(params, { headers: given } = {}) {
  if (params.operationName === 'IntrospectionQuery') return (await fetch('/graphiql/schema.json')).json();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...given },
    body: JSON.stringify(params),
  });
  return response.json();
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

/** Shows GraphiQL. A query replaces what its current tab has; without one, the tab keeps its own. */
const render = (query) =>
  root.render(
    React.createElement(GraphiQL, {
      fetcher,
      ...(query && { query }),
      defaultQuery: queries[0],
      defaultHeaders: headers,
      // On a phone the query needs the room.
      defaultEditorToolsVisibility: matchMedia('(max-width: 40rem)').matches ? false : 'headers',
      ...(demo && { storage, shouldPersistHeaders: true }),
    }),
  );

const menu = document.getElementById('examples');
menu.addEventListener('change', () => render(queries[menu.value]));
render(demo ? queries[0] : undefined);
