import type { Trial } from './demo.js';
import { highlighted } from './highlighted.js';
import { type Html, html, jsonBlock } from './html.js';
import { mistakesWith } from './mistakes.js';
import { type Sample, samplesOf } from './samples.js';
import type { ExampleRequest } from './workedExamples.js';

/** The script that gives the examples their buttons. */
export const examplesScript = '/pages/examples.js';

/** A request in several languages, with the buttons that a script shows: Copy, Run, and mistakes to try. */
export function exampleBlock(request: ExampleRequest, base: string, trial: Trial, heading: Html): Html {
  const { name, title } = request;
  const samples = samplesOf(base, trial.token, request);
  const mistakes = mistakesWith(request, trial);
  return html`<div class="example" data-example="${name}">
<div class="bar">
${heading}
<fieldset class="languages"><legend class="unseen">Language of: ${title}</legend>
${samples.map(languageChoice(name))}</fieldset>
<button type="button" class="copy" hidden aria-label="Copy: ${title}">Copy</button>
<button type="button" class="run" hidden aria-label="Run: ${title}">Run</button>
</div>
${samples.map(sampleBlock(name, title))}${
  mistakes.length > 0 &&
  html`<div class="mistakes" hidden>Try a mistake:
${mistakes.map(
  ({ label }, index) => html`<button type="button" data-mistake="${index}">${label}</button>
`,
)}</div>
`
}<div class="result" id="${name}-result" role="status"></div>
</div>
`;
}

const languageChoice =
  (name: string) =>
  ({ language, label }: Sample, index: number): Html =>
    html`<label><input type="radio" name="language-${name}" value="${language}"${index === 0 && html` checked`}>${label}</label>
`;

const sampleBlock =
  (name: string, title: string) =>
  ({ language, label, text }: Sample): Html =>
    html`<pre data-language="${language}" tabindex="0" role="region" aria-label="${title}: ${label}"><code id="${name}-${language}">${highlighted(text)}</code></pre>
`;

/** What the script needs to run the examples: nobody but the owner of the demo gets its tokens. */
export const examplesData = (trial: Trial): Html =>
  jsonBlock('settings', {
    token: trial.token ?? null,
    examples: Object.fromEntries(
      trial.requests.map((request) => {
        const { name, path, body, document } = request;
        return [name, { path, body, query: document, mistakes: mistakesWith(request, trial) }];
      }),
    ),
  });
