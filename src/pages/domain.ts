import { type HasPage, type Html, html } from './html.js';

const record = (
  x: number,
  y: number,
  name: string,
  width = 92,
): Html => html`<rect class="record" x="${x}" y="${y}" width="${width}" height="30" rx="6"/>
<text x="${x + width / 2}" y="${y + 20}" text-anchor="middle">${name}</text>
`;

/** What operations do to the record on their left. */
const operation = (y: number, names: string[], note: string): Html => html`${names.map(
  (name, line) => html`<text class="operation" x="182" y="${y + 17 * line}">${name}</text>
`,
)}<text class="note" x="182" y="${y + 17 * names.length}">${note}</text>
`;

const version = (
  index: number,
  isNew: boolean,
): Html => html`<rect class="${isNew ? 'version new' : 'version'}" x="${100 + 34 * index}" y="288" width="26" height="24" rx="4"/>
<text class="${isNew ? 'new' : ''}" x="${113 + 34 * index}" y="305" text-anchor="middle">${index + 1}</text>
`;

const versions = [0, 1, 2, 3].map((index) => version(index, index === 3));

/** Which records there are, and what the operations do. As wide as a phone, so that its text stays as large. */
const picture: Html = html`<svg class="domain" viewBox="0 0 364 322" role="img" aria-labelledby="domain-title domain-text">
<title id="domain-title">The records, and what the operations do</title>
<desc id="domain-text">A space has goals and resource hubs. A hub has folders, and they have files and documents. A document has
versions. reopenGoal opens a closed goal. deleteResourceHubFile deletes a file, and recoverResourceHubFile brings it back.
restoreDocumentVersion adds an earlier version of a document as the newest.</desc>
<path class="link" d="M16 34v27h12M16 61v48h12M40 124v27h12M64 166v33h12M64 199v62h12M88 276v24h12"/>
${record(4, 4, 'Space')}${record(28, 46, 'Goal')}${record(28, 94, 'Resource hub', 118)}${record(52, 136, 'Folder')}
${record(76, 184, 'File')}${record(76, 246, 'Document')}
<text class="note" x="156" y="114">of a space, goal or project</text>
${operation(57, ['reopenGoal'], 'closed → open')}${operation(187, ['deleteResourceHubFile', 'recoverResourceHubFile'], 'deleted, and brought back')}
${operation(257, ['restoreDocumentVersion'], 'version 2 comes back as 4')}${versions}
<path class="back" d="M147 315v3h68v-2" marker-end="url(#domain-arrow)"/>
<defs><marker id="domain-arrow" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0l8 4-8 4z"/></marker></defs>
</svg>
`;

export const domain = (hasPage: HasPage): Html => html`<section aria-labelledby="records">
<h2 id="records">What it is about</h2>
<figure class="about">
${picture}
<figcaption>
<p>A <strong>goal</strong> is closed when it is achieved or given up; reopening starts a thread with your message and notifies people.</p>
<p>A deleted <strong>file</strong> stays in the database, with its comments, until an operator purges it.</p>
<p>A <strong>document</strong> keeps every version: to restore one adds it again, if the current version is the one you expect.</p>
<p>Who may see and change a record follows from the space, goal or project above it.</p>
${hasPage('/guide') && html`<p>Read on in the guide: <a href="/guide/concepts">concepts</a>, <a href="/guide/rest">REST</a>, <a href="/guide/graphql">GraphQL</a>, <a href="/guide/events">events</a>.</p>`}
</figcaption>
</figure>
</section>
`;
