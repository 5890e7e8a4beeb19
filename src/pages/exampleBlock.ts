import { type Sample, samplesOf } from './assets/samples.js';
import type { Trial } from './demo.js';
import { highlighted } from './highlighted.js';
import { type Html, html, jsonBlock } from './html.js';
import type { ExampleRequest } from './workedExamples.js';

/** The script that gives the examples their choices and buttons. */
export const examplesScript = '/pages/examples.js';

/** A request in several languages. A script shows what to choose from, and the buttons Copy, Preview and Run. */
export function exampleBlock(request: ExampleRequest, base: string, heading: Html): Html {
  const { name, title, preview } = request;
  const samples = samplesOf(base, request);
  return html`<div class="example" data-example="${name}">
<div class="bar">
${heading}
<fieldset class="languages"><legend class="unseen">Language of: ${title}</legend>
${samples.map(languageChoice(name))}</fieldset>
<button type="button" class="copy" hidden aria-label="Copy: ${title}">Copy</button>
</div>
<div class="actions">
<label class="choice" hidden>On <select aria-label="On what: ${title}"></select></label>
${preview && html`<button type="button" class="preview" hidden aria-label="Preview: ${title}">Preview</button>`}
<button type="button" class="run" hidden aria-label="Run: ${title}">Run</button>
</div>
${samples.map(sampleBlock(name, title))}<div class="result" id="${name}-result"></div>
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
export const examplesData = (trial: Trial, base: string): Html =>
  jsonBlock('settings', {
    base,
    token: trial.token ?? null,
    readOnlyToken: trial.readOnlyToken ?? null,
    examples: byName(trial.requests),
  });

/** The examples as the script takes them. */
export const byName = (requests: ExampleRequest[]) =>
  Object.fromEntries(requests.map(({ name, title: _, ...request }) => [name, request]));
