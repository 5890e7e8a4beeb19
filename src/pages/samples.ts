import type { ExampleRequest } from './workedExamples.js';

/** A request in one of the languages that the pages show. */
export interface Sample {
  language: 'curl' | 'javascript' | 'graphql';
  label: string;
  text: string;
}

/** The same request in each language. Without a token, the samples read it from `TOKEN`. */
export function samplesOf(base: string, token: string | undefined, request: ExampleRequest): Sample[] {
  return [
    { language: 'curl', label: 'curl', text: curl(base, token, request) },
    { language: 'javascript', label: 'JavaScript', text: javascript(base, token, request) },
    { language: 'graphql', label: 'GraphQL', text: request.document.trimEnd() },
  ];
}

function curl(base: string, token: string | undefined, { path, body }: ExampleRequest): string {
  const authorization = token ? `'Authorization: Bearer ${token}'` : '"Authorization: Bearer $TOKEN"';
  return [
    `curl -sS ${quoted(`${base}${path}`)}`,
    `-H ${authorization}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(shown(body))}`,
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
const quoted = (argument: string) =>
  /^[\w.:/-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;

function javascript(base: string, token: string | undefined, { path, body }: ExampleRequest): string {
  const authorization = token ? JSON.stringify(`Bearer ${token}`) : `\`Bearer \${process.env.TOKEN}\``;
  const text = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
  return `const response = await fetch(${JSON.stringify(base + path)}, {
  method: "POST",
  headers: {
    Authorization: ${authorization},
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${text}),
});
console.log(response.status, await response.json());`;
}
