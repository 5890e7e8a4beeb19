const { demo, headers, queries } = JSON.parse(document.getElementById('settings').textContent);

/** The schema is public and needs no token; everything else is a request like any other client's. */
async function fetcher(params, { headers: given } = {}) {
  if (params.operationName === 'IntrospectionQuery') return (await fetch('/graphiql/schema.json')).json();
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...given },
    body: JSON.stringify(params),
  });
  return response.json();
}

/** The demo starts afresh with each load, as its ids and its token may have changed; nothing of it is kept. */
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

const element = React.createElement(GraphiQL, {
  fetcher,
  defaultTabs: queries.map((query) => ({ query })),
  defaultHeaders: headers,
  defaultEditorToolsVisibility: 'headers',
  ...(demo && { storage: memory(), shouldPersistHeaders: true }),
});
ReactDOM.createRoot(document.getElementById('graphiql')).render(element);
