import { type Demo, howToOpenTheDemo, type Trial } from './demo.js';
import { type Html, html } from './html.js';

/** The one place of a page that has a token: the demo's to copy, or a field for the visitor's own, which stays in the tab. */
export const tokenField = ({ token }: Trial, demo: Demo | undefined): Html =>
  token ? demoToken(token) : html`${demo && html`<p>${howToOpenTheDemo}</p>`}${ownToken}`;

const demoToken = (
  token: string,
): Html => html`<p>The requests work as they are on the demo workspace. Run them here, or
copy them into a terminal after this line:</p>
<div class="token"><pre tabindex="0" role="region" aria-label="The demo’s token"><code>export TOKEN=${token}</code></pre>
<button type="button" class="copy" hidden aria-label="Copy: the demo’s token">Copy</button></div>`;

const ownToken: Html = html`<p class="needs-script" hidden>
<label for="token">To run the requests here, on what you may change, enter an API token. It stays in this tab.</label>
<input type="password" id="token" autocomplete="off" placeholder="gp_…">
<span id="token-outcome" role="status"></span></p>
<details><summary>How to create a token</summary>
<p>On the server. It acts for one person and is shown only once:</p>
<pre tabindex="0" role="region" aria-label="How to create a token"><code>npx goalpost token create --person PERSON_ID --name "Trying it" --write</code></pre>
<p>In a terminal, the requests read it from <code>TOKEN</code>: <code>export TOKEN=gp_…</code></p>
</details>`;
