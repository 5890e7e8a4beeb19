import { confirmed } from './confirm.js';
import { makeCopyButton } from './copy.js';
import { codeNodes, element } from './elements.js';
import { exchange, exchangeNodes, newKey } from './exchange.js';
import { mistakes } from './mistakes.js';
import { previewNodes } from './preview.js';
import { documentOf, inputOf, samplesOf } from './samples.js';

/** One example of the page: its choices, its samples, and what Preview and Run bring back, which is of what is chosen. */
export class ExampleBlock {
  #block;
  #example;
  #page;
  #area;
  #menu;
  /** What the token may change. */
  #choices;
  /** What is shown: a choice, or the request as the reader has edited it. */
  #shown;
  /** Whether it stays shown when the choices are renewed, because Run has changed it or the reader has edited it. */
  #stays = false;
  /** The request that a link has brought, if one has. */
  #linked;

  constructor(block, example, page) {
    this.#block = block;
    this.#example = example;
    this.#page = page;
    this.#area = document.getElementById(`${block.dataset.example}-body`);
    this.#menu = block.querySelector('.choice select');
    makeCopyButton(this.#find('.copy'), () => this.#find(`pre[data-language="${this.#language}"] code`));
    this.#find('.run').addEventListener('click', () => this.#runOnce());
    this.#find('.preview')?.addEventListener('click', () => this.#preview());
    this.#menu.addEventListener('change', () => this.#choose(this.#options[this.#menu.value]));
    this.#area?.addEventListener('input', () => this.#edit());
    if (page.demo && example.body.expected_current_version !== undefined) {
      this.#find('.result').before(
        mistakes(page.readOnlyToken, (change, token) => this.#run({ ...this.#changed(change), ...token })),
      );
    }
    this.reset(example.choices);
  }

  /** Shows the choices of another token, and nothing of the one before. */
  reset(choices = []) {
    this.#choices = choices;
    this.#choose(this.#linked ?? choices[0] ?? { label: this.#example.title, body: this.#example.body });
    if (this.#linked) this.#stay();
    this.offerRun();
  }

  /** Shows the request with the fields of a link. */
  take(fields) {
    const { body } = this.#example;
    const given = Object.keys(body).filter((name) => fields.has(name));
    const read = (name) => (typeof body[name] === 'number' ? Number(fields.get(name)) : fields.get(name));
    if (given.length === 0) return;
    const values = Object.fromEntries(given.map((name) => [name, read(name)]));
    this.#linked = { label: 'The request of the link', body: { ...body, ...values } };
    this.#choose(this.#linked);
    this.#stay();
  }

  /** Shows what the token may change now. What is shown stays, as long as it is among that or `#stays`. */
  offer(choices) {
    this.#choices = choices;
    const choice = choices.find((each) => this.#isOfShown(each)) ?? choices[0];
    if (!this.#stays && choice) this.#show(choice);
    this.#fillMenu();
  }

  /** Shows the first choice that fits, and brings the reader here. */
  choose(fits) {
    const choice = this.#choices.find(({ body }) => fits(body)) ?? this.#choices[0];
    if (choice && !this.#block.ariaBusy) this.#choose(choice);
    this.#block.scrollIntoView({ block: 'start' });
    this.#find('.run').focus({ preventScroll: true });
  }

  /** Buttons that need a token are there once there is one; Run works with one that may change something. */
  offerRun() {
    const access = this.#access;
    for (const button of this.#block.querySelectorAll('.run, .preview, .mistakes')) button.hidden = !access;
    const why = this.#find('.why');
    why.hidden = access !== 'read';
    const run = this.#find('.run');
    run.ariaDisabled = why.hidden ? null : 'true';
    if (why.hidden) run.removeAttribute('aria-describedby');
    else run.setAttribute('aria-describedby', why.id);
  }

  /** What the token may do here. */
  get #access() {
    const { access, scopes } = this.#page;
    const isGranted = !scopes || scopes.includes(this.#example.path.split('/').at(-1));
    return access === 'write' && !isGranted ? 'read' : access;
  }

  #find(selector) {
    return this.#block.querySelector(selector);
  }

  get #language() {
    return this.#find('.languages input:checked').value;
  }

  get #current() {
    return { ...this.#example, body: this.#shown.body };
  }

  /** The fields of a body that name its record. */
  #recordOf(body) {
    return this.#example.repeat.record.map((field) => [field, body[field]]);
  }

  /** Whether a choice is of the record that is shown. */
  #isOfShown({ body }) {
    return JSON.stringify(this.#recordOf(body)) === JSON.stringify(this.#recordOf(this.#shown.body));
  }

  /** The choices, with what is shown in place of the one of its record. */
  get #options() {
    if (!this.#stays) return this.#choices;
    const index = this.#choices.findIndex((each) => this.#isOfShown(each));
    return index < 0 ? [this.#shown, ...this.#choices] : this.#choices.with(index, this.#shown);
  }

  /** What Run sends: the example in the language that is shown, or the text that the reader has edited. */
  get #request() {
    const values = this.#shown.body;
    if (this.#language === 'graphql') {
      return { path: '/graphql', body: JSON.stringify({ query: documentOf(this.#current) }), values };
    }
    return { path: this.#example.path, body: this.#area?.value ?? JSON.stringify(values), values };
  }

  /** The shown example, with a field changed. */
  #changed(change) {
    const values = this.#shown.body;
    return { path: this.#example.path, body: JSON.stringify({ ...values, ...change(values) }), values };
  }

  #choose(choice) {
    this.#stays = false;
    this.#show(choice);
    this.#fillMenu();
  }

  #stay() {
    this.#stays = true;
    this.#fillMenu();
  }

  #fillMenu() {
    const options = this.#options;
    this.#find('.choice').hidden = options.length === 0;
    this.#menu.replaceChildren(...options.map(({ label }, value) => element('option', { value, textContent: label })));
    this.#menu.selectedIndex = options.indexOf(this.#shown);
  }

  #show(choice) {
    this.#showSamples(choice);
    if (!this.#area) return;
    this.#area.defaultValue = JSON.stringify(choice.body, null, 2);
    this.#area.value = this.#area.defaultValue;
  }

  /** A result of another record goes. */
  #showSamples(choice) {
    if (this.#shown && !this.#isOfShown(choice)) this.#result();
    this.#shown = choice;
    for (const { language, text } of samplesOf(this.#page.base, this.#current, newKey())) {
      this.#find(`pre[data-language="${language}"] code`).replaceChildren(...codeNodes(text));
    }
  }

  /** The samples follow the text as soon as it is JSON; Run sends it in any case. */
  #edit() {
    try {
      const body = JSON.parse(this.#area.value);
      if (typeof body !== 'object' || body === null) return;
      this.#showSamples({ label: 'The request as you changed it', body });
      this.#stay();
    } catch {
      // Not yet.
    }
  }

  /** Runs what is shown, once the reader has confirmed it: nobody needs to confirm what changes the demo only. */
  async #runOnce() {
    if (this.#access !== 'write' || this.#block.ariaBusy) return;
    const { title } = this.#example;
    const { label, body } = this.#shown;
    const question = { title, label, record: this.#recordOf(body), gateway: this.#page.base };
    if (this.#page.demo || (await confirmed(question))) await this.#run(this.#request);
  }

  async #run(request) {
    const { next, repeat } = this.#example;
    await this.#busy(async () => {
      const done = await exchange({ token: this.#page.token(), ...request });
      const again = element('button', { type: 'button', textContent: 'Send again with the same key' });
      again.addEventListener('click', () => this.#run({ ...request, ...done.sent }));
      const steps = element('p', { className: 'steps' }, again);
      if (done.code) return this.#result(...exchangeNodes(done), steps);
      const onward = element('button', { type: 'button', textContent: `Next: ${next.label}` });
      onward.addEventListener('click', () => {
        if (!this.#block.ariaBusy) this.#page.next(next, request.values);
      });
      steps.prepend(onward);
      const isOfRecord = this.#recordOf(request.values).every(([, value]) => value != null);
      const text = isOfRecord ? repeat.again : 'The request had no id, so it succeeded and changed nothing.';
      const repeated = element('p', { className: 'quiet', textContent: text });
      this.#result(...exchangeNodes(done), repeated, steps);
      if (request.key !== undefined) return;
      if (isOfRecord) this.#markDone();
      await this.#page.changed();
    });
  }

  /** What Run has changed stays chosen, and its name says what has become of it. */
  #markDone() {
    const mark = ` (${this.#example.repeat.done})`;
    const { label, body } = this.#shown;
    this.#shown = { label: label.endsWith(mark) ? label : label + mark, body };
    this.#stay();
  }

  #preview() {
    return this.#busy(async () => {
      const { preview: query } = this.#example;
      const variables = inputOf(this.#shown.body);
      this.#result(...(await previewNodes({ query, variables, token: this.#page.token() })));
    });
  }

  /** One request at a time. The buttons are not `disabled`, which would take the focus away from the keyboard. */
  async #busy(work) {
    if (this.#block.ariaBusy) return;
    this.#block.ariaBusy = 'true';
    this.#freeze(true);
    await work().catch((error) =>
      this.#result(element('p', { className: 'failed', textContent: `No response: ${error.message}` })),
    );
    this.#block.ariaBusy = null;
    this.#freeze(false);
    this.offerRun();
  }

  #freeze(isFrozen) {
    for (const button of this.#block.querySelectorAll('button:not(.copy)')) {
      button.ariaDisabled = isFrozen ? 'true' : null;
    }
    // So that the response is of what is shown when it comes.
    this.#menu.disabled = isFrozen;
    if (this.#area) this.#area.readOnly = isFrozen;
  }

  #result(...nodes) {
    const result = this.#find('.result');
    result.replaceChildren(...nodes);
    if (this.#block.ariaBusy) this.#freeze(true);
    if (nodes.length > 0) result.scrollIntoView({ block: 'nearest' });
  }
}
