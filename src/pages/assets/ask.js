/** Runs a query and returns its data. Throws an error with the `code` of the first failure. */
export async function ask(query, variables, token) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const response = await fetch('/graphql', { method: 'POST', headers, body });
  const { data, errors, code, detail } = await response.json();
  const failure = errors?.[0];
  if (!failure && !code) return data;
  throw Object.assign(new Error(failure?.message ?? detail), { code: failure?.extensions?.code ?? code });
}
