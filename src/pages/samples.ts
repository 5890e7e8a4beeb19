import { curlCommands } from './curl.js';
import type { ExampleRequest } from './workedExamples.js';

/** A request in one of the languages that the pages show. */
export interface Sample {
  language: 'curl' | 'javascript' | 'graphql';
  label: string;
  text: string;
}

/** The same request in each language. Without a token, the samples read it from `TOKEN`. */
export function samplesOf(base: string, token: string | undefined, request: ExampleRequest): Sample[] {
  const [command] = curlCommands(base, token, [request]);
  return [
    { language: 'curl', label: 'curl', text: (command?.lines ?? []).join(' \\\n  ') },
    { language: 'javascript', label: 'JavaScript', text: javascript(base, token, request) },
    { language: 'graphql', label: 'GraphQL', text: request.document.trimEnd() },
  ];
}

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
