import { STATUS_CODES } from 'node:http';
import type { GraphQLError } from 'graphql';
import { catalogue, type ErrorCode } from '../errors/catalogue.js';
import type { Entry } from '../errors/entry.js';
import { exampleOf, graphqlExampleOf } from '../errors/failures.js';
import { headersOf, inRestNames, problemOf, problemType } from '../errors/problem.js';
import { snakeCase, snakeCased } from '../naming.js';
import { highlighted } from './highlighted.js';
import { type Html, html } from './html.js';
import { statusBadge } from './statusBadge.js';

const requestId = '0198f3c2-7d5e-7c41-9a70-3f1b6a2d8e54';

/** What a failure means, what to do about it, and how it looks on both surfaces. */
export function explainedError(code: ErrorCode, publicUrl: string | undefined): Html {
  const entry = catalogue[code];
  return html`<h1>${breakable(code)}</h1>
<p class="lead">${statusBadge(entry.status)} <strong>${STATUS_CODES[entry.status] ?? ''}</strong> · ${entry.title}</p>
<h2>What it means</h2>
<p class="prose">${entry.meaning}</p>
<h2>What to do</h2>
<p class="prose">${entry.remedy}</p>
${members(entry)}
${entry.occurs === 'graphql' ? [] : problemExample('In REST', exampleOf(code), publicUrl)}
${entry.alwaysProblem ? problemExample('In GraphQL', graphqlExampleOf(code), publicUrl) : graphqlExample(code)}
<p class="onward"><a href="/errors">All errors</a></p>
`;
}

/** A code that may break after each of its words, where it is wider than the page. */
const breakable = (code: string): Html[] => code.split(/(?<=_)/).map((word) => html`${word}<wbr>`);

function members({ members: always = {}, optionalMembers = {} }: Entry): Html | Html[] {
  const all = Object.entries({ ...always, ...optionalMembers });
  if (all.length === 0) return [];
  return html`<h2>Members</h2>
<ul class="fields">
${all.map(([name, { description }]) => {
  const graphqlName = snakeCase(name) !== name && html`<span class="type">in GraphQL <code>${name}</code></span>`;
  const when = name in optionalMembers ? ' Only if it is known.' : '';
  return html`<li><p><span class="name"><code>${snakeCase(name)}</code></span> ${graphqlName}</p><p>${description}${when}</p></li>
`;
})}</ul>`;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

const code = (label: string, text: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><code>${highlighted(text)}</code></pre>`;

function problemExample(heading: string, failure: GraphQLError, publicUrl: string | undefined): Html {
  const problem = problemOf(inRestNames(failure), requestId, publicUrl);
  const headers = Object.entries({ ...headersOf(failure), 'Content-Type': problemType });
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    json(snakeCased(problem)),
  ];
  return html`<h2>${heading}</h2>
${code(heading, lines.join('\n'))}
`;
}

function graphqlExample(errorCode: ErrorCode): Html {
  const { message, extensions } = graphqlExampleOf(errorCode);
  const { http: _, ...shown } = extensions;
  return html`<h2>In GraphQL</h2>
<div class="stack">
${code('In GraphQL', json({ errors: [{ message, extensions: { ...shown, requestId } }] }))}
<p class="prose">GraphQL adds <code>locations</code> and <code>path</code> to an error that concerns a part of the
document.</p>
</div>
`;
}
