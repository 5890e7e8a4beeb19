import { makeCopyButton } from './copy.js';
import { codeNodes, element } from './elements.js';
import { exchange, exchangeNodes } from './exchange.js';
import { mistakes } from './mistakes.js';
import { previewNodes } from './preview.js';
import { documentOf, inputOf, samplesOf } from './samples.js';

/** One example of the page: its choices, its samples, and what Preview and Run bring back. */
export class ExampleBlock {
  #block;
  #example;
  #page;
  #body;
  #area;

  constructor(block, example, page) {
    this.#block = block;
    this.#example = example;
    this.#page = page;
    this.#body = example.body;
    this.#area = document.getElementById(`${block.dataset.example}-body`);
    const find = (selector) => block.querySelector(selector);
    makeCopyButton(find('.copy'), () => find(`pre[data-language="${this.#language}"] code`));
    find('.run').addEventListener('click', () => this.#run(this.#request));
    find('.preview')?.addEventListener('click', () => this.#preview());
    find('.choice select').addEventListener('change', ({ target }) =>
      this.#show(this.#example.choices[target.value].body),
    );
    this.#area?.addEventListener('input', () => this.#edit());
    if (page.demo && example.body.expected_current_version !== undefined) {
      find('.result').before(
        mistakes(page.readOnlyToken, (change, token) => this.#run({ ...this.#changed(change), ...token })),
      );
    }
    this.offer(example.choices);
    this.offerRun();
  }

  /** Shows what the token may change. What the reader has edited stays. */
  offer(choices) {
    this.#example.choices = choices;
    const menu = this.#block.querySelector('.choice');
    menu.hidden = choices.length === 0;
    const options = choices.map(({ label }, value) => element('option', { value, textContent: label }));
    menu.querySelector('select').replaceChildren(...options);
    const isEdited = this.#area && this.#area.value !== this.#area.defaultValue;
    if (choices.length > 0 && !isEdited) this.#show(choices[0].body);
  }

  /** Shows the first choice that fits, and brings the reader here. */
  choose(fits) {
    const index = Math.max(
      this.#example.choices.findIndex(({ body }) => fits(body)),
      0,
    );
    this.#block.querySelector('.choice select').value = index;
    const choice = this.#example.choices[index];
    if (choice) this.#show(choice.body);
    this.#block.scrollIntoView({ block: 'start' });
    this.#block.querySelector('.run').focus({ preventScroll: true });
  }

  /** Buttons that need a token are there once there is one. */
  offerRun() {
    for (const button of this.#block.querySelectorAll('.run, .preview, .mistakes')) button.hidden = !this.#page.token();
  }

  get #language() {
    return this.#block.querySelector('.languages input:checked').value;
  }

  get #current() {
    return { ...this.#example, body: this.#body };
  }

  /** What Run sends: the example in the language that is shown, or the text that the reader has edited. */
  get #request() {
    if (this.#language === 'graphql') {
      return { path: '/graphql', body: JSON.stringify({ query: documentOf(this.#current) }), values: this.#body };
    }
    const body = this.#area?.value ?? JSON.stringify(this.#body);
    return { path: this.#example.path, body, values: this.#body };
  }

  /** The shown example, with a field changed. */
  #changed(change) {
    return {
      path: this.#example.path,
      body: JSON.stringify({ ...this.#body, ...change(this.#body) }),
      values: this.#body,
    };
  }

  #show(body) {
    this.#showSamples(body);
    if (!this.#area) return;
    this.#area.defaultValue = JSON.stringify(body, null, 2);
    this.#area.value = this.#area.defaultValue;
  }

  #showSamples(body) {
    this.#body = body;
    for (const { language, text } of samplesOf(this.#page.base, this.#current)) {
      this.#block.querySelector(`pre[data-language="${language}"] code`).replaceChildren(...codeNodes(text));
    }
  }

  /** The samples follow the text as soon as it is JSON; Run sends it in any case. */
  #edit() {
    try {
      const body = JSON.parse(this.#area.value);
      if (typeof body === 'object' && body !== null) this.#showSamples(body);
    } catch {
      // Not yet.
    }
  }

  async #run(request) {
    const { next } = this.#example;
    await this.#busy(async () => {
      const done = await exchange({ token: this.#page.token(), ...request });
      const retry = element('button', { type: 'button', textContent: 'Send again with the same key' });
      retry.addEventListener('click', () => this.#run({ ...request, ...done.sent }));
      const steps = element('p', { className: 'steps' }, retry);
      if (!done.code) {
        const onward = element('button', { type: 'button', textContent: `Next: ${next.label}` });
        onward.addEventListener('click', () => this.#page.next(next, request.values));
        steps.prepend(onward);
      }
      this.#result(...exchangeNodes(done), steps);
      if (!done.code && request.key === undefined) await this.#page.changed();
    });
  }

  #preview() {
    return this.#busy(async () => {
      const { preview: query } = this.#example;
      this.#result(...(await previewNodes({ query, variables: inputOf(this.#body), token: this.#page.token() })));
    });
  }

  /** One request at a time. The buttons are not `disabled`, which would take the focus away from the keyboard. */
  async #busy(work) {
    if (this.#block.ariaBusy) return;
    this.#block.ariaBusy = 'true';
    const buttons = this.#block.querySelectorAll('button:not(.copy)');
    for (const button of buttons) button.ariaDisabled = 'true';
    await work().catch((error) =>
      this.#result(element('p', { className: 'failed', textContent: `No response: ${error.message}` })),
    );
    for (const button of buttons) button.ariaDisabled = null;
    this.#block.ariaBusy = null;
  }

  #result(...nodes) {
    const result = this.#block.querySelector('.result');
    result.replaceChildren(...nodes);
    result.scrollIntoView({ block: 'nearest' });
  }
}
