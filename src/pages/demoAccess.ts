import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isLocal, type RequestHead } from '../platform/http/index.js';
import { type Html, html } from './html.js';

const secret = () => randomBytes(32).toString('base64url');
const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

/** Who may see the demo's token: who has opened the start address, which only the terminal shows, and so has the cookie. */
export class DemoKey {
  /** The session is not the start, so that what reads a cookie cannot hand on the start address. */
  readonly #start = secret();
  readonly #session = secret();

  addressAt(base: string): string {
    return `${base}/?demo=${this.#start}`;
  }

  /** The cookie for a browser on this machine that comes with the secret. */
  cookieFor(request: RequestHead): string | undefined {
    const given = new URL(request.url).searchParams.get('demo') ?? '';
    if (!isLocal(request) || !isSame(given, this.#start)) return undefined;
    return `${cookieName(request)}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
  }

  isHeldBy(request: RequestHead): boolean {
    if (!isLocal(request)) return false;
    const cookies = (request.headers.get('cookie') ?? '').split(/; ?/);
    return cookies.some((cookie) => isSame(cookie, `${cookieName(request)}=${this.#session}`));
  }
}

/** With the port, because the servers of a host share their cookies. */
const cookieName = (request: RequestHead) => `goalpost_demo_${new URL(request.url).port || '80'}`;

/** The document of the demo whose versions are restored. */
export const demoDocument = 'doc-launch-plan';

/** The demo workspace and a token for it. Absent where the token must stay secret. */
export interface Demo {
  token: string;
  key: DemoKey;
  /** The current version of {@link demoDocument}, if that is still there. Fails if the token is no longer valid. */
  currentVersion: () => Promise<number | null | undefined>;
}

/** What stands before the start address in the terminal. */
export const startLabel = 'Open';

/** For a visitor who has not opened the start address. */
export const howToOpenTheDemo: Html = html`This is a demo. To use its token here, open the address that the gateway
printed after <code>${startLabel}</code> when it started.`;

/** What the pages show of the demo to who holds its key. */
export interface ShownDemo {
  token: string;
  currentVersion: number | null | undefined;
}

/** The demo for who holds its key, as long as its token is valid. */
export async function demoFor(request: RequestHead, demo: Demo | undefined): Promise<ShownDemo | undefined> {
  if (!demo?.key.isHeldBy(request)) return undefined;
  const { token } = demo;
  return demo.currentVersion().then(
    (currentVersion) => ({ token, currentVersion }),
    () => undefined,
  );
}

/** A field for the visitor's own token. */
export const ownToken = (purpose: string): Html => html`<p class="needs-script" hidden>
<label for="token">${purpose}, enter an API token. It stays in this tab.</label>
<input type="password" id="token" autocomplete="off" placeholder="gp_…">
<span id="token-outcome" role="status"></span></p>
<details><summary>How to create a token</summary>
<p>On the server. It acts for one person and is shown only once:</p>
<pre tabindex="0" role="region" aria-label="How to create a token"><code>npx goalpost token create --person PERSON_ID --name "Trying it"</code></pre>
</details>`;
