import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LookUp } from '../operations/declaration.js';
import { isLocal, type RequestHead } from '../platform/http/index.js';
import { type Trial, workedExamples } from './examples.js';
import { type Html, html } from './html.js';
import type { ShownMutation } from './operationExamples.js';

const secret = () => randomBytes(32).toString('base64url');
const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

/**
 * Who may see the demo's token on the pages: who has the start address, which only the terminal shows. Opening it sets a
 * cookie. Both hold until this process ends, because a secret that works only once would lock out its owner whenever a
 * terminal previews the link or a second browser is used, while the terminal shows where the token is anyway.
 */
export class DemoKey {
  /** The session is not the start, so that what reads a cookie cannot hand on the start address. */
  readonly #start = secret();
  readonly #session = secret();

  /** The start address for the person at the terminal. */
  addressAt(base: string): string {
    return `${base}/?demo=${this.#start}`;
  }

  /** The cookie for a browser on this machine that comes with the secret. */
  cookieFor(request: RequestHead): string | undefined {
    const given = new URL(request.url).searchParams.get('demo') ?? '';
    if (!isLocal(request) || !isSame(given, this.#start)) return undefined;
    return `${cookieName(request)}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Whether a browser on this machine has the cookie. */
  isHeldBy(request: RequestHead): boolean {
    if (!isLocal(request)) return false;
    const cookies = (request.headers.get('cookie') ?? '').split(/; ?/);
    return cookies.some((cookie) => isSame(cookie, `${cookieName(request)}=${this.#session}`));
  }
}

/** With the port, because the servers of a host share their cookies. */
const cookieName = (request: RequestHead) => `goalpost_demo_${new URL(request.url).port || '80'}`;

/** The demo workspace and a token for it. Absent where the token must stay secret. */
export interface Demo {
  token: string;
  /** A token that may not write, to show what such a token gets. */
  readOnlyToken?: string | undefined;
  key: DemoKey;
  /** The file with both tokens. */
  tokensFile?: string | undefined;
  /** Runs a query as the token's person. Fails if the token is no longer valid. */
  lookUp: LookUp;
}

/** What stands before the start address in the terminal. */
export const startLabel = 'Open';

/** For a visitor who has not opened the start address. */
export const howToOpenTheDemo: Html = html`This is a demo. To use its token here, open the address that the gateway
printed after <code>${startLabel}</code> when it started.`;

/** The trial for who holds the demo's key, as long as its token is valid. */
export async function trialFor(
  request: RequestHead,
  mutations: readonly ShownMutation[],
  demo: Demo | undefined,
): Promise<Trial | undefined> {
  if (!demo?.key.isHeldBy(request)) return undefined;
  const examples = await workedExamples(mutations, demo.lookUp).catch(() => undefined);
  return examples && { ...examples, token: demo.token, readOnlyToken: demo.readOnlyToken };
}

/** The trial for everybody else. */
export const trialForStrangers = async (mutations: readonly ShownMutation[]): Promise<Trial> => ({
  ...(await workedExamples(mutations)),
  token: undefined,
});

/** The one place of a page that has a token: the demo's to copy, or a field for the visitor's own, which stays in the tab. */
export const tokenField = ({ token }: Trial, demo: Demo | undefined): Html =>
  token
    ? demoToken(token)
    : html`${demo && html`<p>${howToOpenTheDemo}</p>`}${ownToken('To run the requests here, on what you may change')}
<p>In a terminal, the requests read the token from <code>TOKEN</code>: <code>export TOKEN=gp_…</code> ${ofKeys}</p>`;

const ofKeys: Html = html`Each request has an <code>Idempotency-Key</code> of its own, in every language: sent twice, it changes something
once. Another change needs another key.`;

const demoToken = (
  token: string,
): Html => html`<p>The requests work as they are on the demo workspace. Run them here, or
copy them into a terminal after this line:</p>
<div class="token"><pre tabindex="0" role="region" aria-label="The demo’s token"><code>export TOKEN=${token}</code></pre>
<button type="button" class="copy" hidden aria-label="Copy: the demo’s token">Copy</button></div>
<p>${ofKeys}</p>`;

/** A field for the visitor's own token. */
export const ownToken = (purpose: string, option = ' --write'): Html => html`<p class="needs-script" hidden>
<label for="token">${purpose}, enter an API token. It stays in this tab.</label>
<input type="password" id="token" autocomplete="off" placeholder="gp_…">
<span id="token-outcome" role="status"></span></p>
<details><summary>How to create a token</summary>
<p>On the server. It acts for one person and is shown only once:</p>
<pre tabindex="0" role="region" aria-label="How to create a token"><code>npx goalpost token create --person PERSON_ID --name "Trying it"${option}</code></pre>
${option && html`<p>Without <code>--write</code> it may change nothing.</p>`}
</details>`;
