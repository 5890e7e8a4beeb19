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

const element = React.createElement(GraphiQL, {
  fetcher,
  defaultTabs: queries.map((query) => ({ query })),
  defaultHeaders: headers,
  defaultEditorToolsVisibility: 'headers',
  ...(demo && { storage: memory(), shouldPersistHeaders: true }),
});
ReactDOM.createRoot(document.getElementById('graphiql')).render(element);
