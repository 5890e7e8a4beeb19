import { publicRoute, type Route } from '../platform/http/index.js';
import { keptPages } from './assetRoutes.js';
import { demoDocument, howToOpenTheDemo, ownToken } from './demoAccess.js';
import { html, htmlPage, jsonBlock } from './html.js';
import type { PageOptions } from './options.js';

/** `/history`: the versions of a document with what each changed, to find the one that had a text. */
export function historyRoute({ demo, hasPage }: PageOptions): Route {
  const kept = keptPages();
  const render = (token?: string) =>
    htmlPage({
      title: 'History – Goalpost',
      path: '/history',
      hasPage,
      modules: ['/pages/history.js'],
      body: html`<main id="main">
<h1>History of a document</h1>
<p class="lead">Which version had this text? Each version of a document, with what it changed. Rich text is shown as it
reads.</p>
<div class="stack">
<noscript><p>This page needs JavaScript.</p></noscript>
${token ? undefined : html`${demo && html`<p>${howToOpenTheDemo}</p>`}${ownToken('To see your documents')}`}
<div class="finder needs-script" hidden>
<label>Name of a document <input type="search" id="name" autocomplete="off" spellcheck="false"></label>
<label>Document <select id="document"></select></label>
<label>Text in a version <input type="search" id="text" autocomplete="off" spellcheck="false"></label>
</div>
<p id="unlisted" class="quiet" role="status"></p>
<p id="outcome" role="status"></p>
</div>
<div id="versions"></div>
<p class="onward"><button type="button" id="more" hidden>Show older versions</button></p>
</main>
${jsonBlock('settings', { token: token ?? null, first: token ? demoDocument : null, canRestore: hasPage('/graphql') })}`,
    });
  return publicRoute('/history', (request) =>
    demo?.key.isHeldBy(request) ? render(demo.token) : kept('', () => render()),
  );
}
