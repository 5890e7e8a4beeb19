/** A request to a REST path. Browsers load this file too, so it imports nothing. */
export interface SampleRequest {
  path: string;
  body: Record<string, unknown>;
  /** The same call in GraphQL, with `INPUT` in place of its input. */
  template: string;
  /** The member of the response that is null if the request names no record: such a request succeeds. */
  nullable?: string | undefined;
}

/** A request in one of the languages that the pages show. */
export interface Sample {
  language: 'curl' | 'javascript' | 'python' | 'graphql';
  label: string;
  text: string;
}

/**
 * The same request in each language. The samples read the token from `TOKEN`, and carry `key` as it is: what is run twice
 * changes something once.
 */
export function samplesOf(base: string, request: SampleRequest, key: string): Sample[] {
  return [
    { language: 'curl', label: 'curl', text: curl(base, request, key) },
    { language: 'javascript', label: 'JavaScript', text: javascript(base, request, key) },
    { language: 'python', label: 'Python', text: python(base, request, key) },
    { language: 'graphql', label: 'GraphQL', text: graphql(request, key) },
  ];
}

/** A body in GraphQL's names. @public: browsers import it. */
export const inputOf = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  );

/** The call as a GraphQL document. JSON strings, numbers and lists are GraphQL values too. @public: browsers import it. */
export function documentOf({ template, body }: SampleRequest): string {
  const fields = Object.entries(inputOf(body)).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const argument =
    fields.length > 1 ? `\n    input: {\n      ${fields.join('\n      ')}\n    }\n  ` : `input: { ${fields} }`;
  return template.replace('input: INPUT', () => argument);
}

function curl(base: string, { path, body }: SampleRequest, key: string): string {
  return [
    `curl -sS ${shellQuoted(`${base}${path}`)}`,
    '-H "Authorization: Bearer $TOKEN"',
    '-H "Content-Type: application/json"',
    `-H "Idempotency-Key: ${key}"`,
    `-d ${shellQuoted(shown(body))}`,
  ].join(' \\\n  ');
}

/** Longer bodies are easier to read with one field on each line. */
const longestLine = 60;

/** A body as it stands in a command, below the options. */
function shown(body: object): string {
  const line = JSON.stringify(body);
  return line.length > longestLine ? JSON.stringify(body, null, 2).replaceAll('\n', '\n  ') : line;
}

/** Quotes an argument for the shell, whatever an id or a Host header contains. */
export const shellQuoted = (argument: string) =>
  /^[\w.:/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;

const nothingChanged = 'The request had no id: nothing was changed.';

function javascript(base: string, { path, body, nullable }: SampleRequest, key: string): string {
  const text = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
  return `const response = await fetch(${JSON.stringify(base + path)}, {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,
    "Content-Type": "application/json",
    "Idempotency-Key": ${JSON.stringify(key)},
  },
  body: JSON.stringify(${text}),
});
const result = await response.json();
console.log(response.status, result);${nullable ? `\nif (result.${nullable} === null) console.error("${nothingChanged}");` : ''}`;
}

/** Only with what Python itself has. A problem is a response too. */
function python(base: string, { path, body, nullable }: SampleRequest, key: string): string {
  const check = `\nif "${nullable}" in result and result["${nullable}"] is None:\n    print("${nothingChanged}", file=sys.stderr)`;
  return `import json, os, sys, urllib.error, urllib.request

body = ${pythonValue(body)}
request = urllib.request.Request(${JSON.stringify(base + path)}, json.dumps(body).encode(), {
    "Authorization": f"Bearer {os.environ['TOKEN']}",
    "Content-Type": "application/json",
    "Idempotency-Key": ${JSON.stringify(key)},
})
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as problem:
    response = problem
result = json.load(response)
print(response.status, result)${nullable ? check : ''}`;
}

const pythonNames: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

/** JSON as Python, which spells three values differently. */
const pythonValue = (value: unknown): string =>
  JSON.stringify(value, null, 4).replace(/"(?:\\.|[^"\\])*"|true|false|null/g, (part) => pythonNames[part] ?? part);

const graphql = (request: SampleRequest, key: string): string =>
  [
    `# Send it with the header Idempotency-Key: ${key}`,
    ...(request.nullable
      ? [`# If ${request.nullable} is null in the response, the request had no id: nothing was changed.`]
      : []),
    documentOf(request).trimEnd(),
  ].join('\n');
