import { mcpPath } from '../mcp/route.js';
import { publicRoute, type Route } from '../platform/http/index.js';
import type { Config } from '../settings.js';
import { type Demo, howToOpenTheDemo } from './demo.js';
import { KeptPages } from './files.js';
import { type HasPage, type Html, highlighted, html, htmlPage } from './html.js';
import { shellQuoted } from './requests.js';

interface AgentsOptions extends Pick<Config, 'publicUrl'> {
  demo: Demo | undefined;
  hasPage: HasPage;
}

/** `/mcp` in a browser: what agents find here, and how to connect one. Agents send POST. */
export function agentsRoute({ demo, hasPage, publicUrl }: AgentsOptions): Route {
  const kept = new KeptPages();
  const render = (base: string, token: string | undefined) =>
    htmlPage({
      title: 'Agents – Goalpost',
      path: mcpPath,
      hasPage,
      modules: ['/pages/blocks.js'],
      body: html`<main id="main">
<h1>Agents</h1>
<p class="lead">This address serves tools to programs that a language model steers, over the Model Context Protocol.</p>
<section aria-labelledby="connect">
<h2 id="connect">Connect an agent</h2>
<div class="stack">
${!token && demo && html`<p>${howToOpenTheDemo}</p>`}
${connecting(base, token)}
</div>
</section>
<section aria-labelledby="tools">
<h2 id="tools">What it can do</h2>
<ul>
<li><code>find_goals</code>, <code>find_people</code>, <code>find_files_and_documents</code>, <code>read_document</code> and
<code>recent_changes</code> read what the person of the token can see.</li>
<li><code>preview_change</code> shows what an operation would change, changes nothing, and returns
the arguments of its tool and a confirmation.</li>
<li><code>reopen_goal</code>, <code>delete_resource_hub_file</code>, <code>recover_resource_hub_file</code> and
<code>restore_document_version</code> each take both. They change exactly what the preview showed, once,
however often they are called. If somebody has changed the record meanwhile, they change nothing.</li>
</ul>
<p>An agent sees only the tools that its token may use.</p>
</section>
<section aria-labelledby="least">
<h2 id="least">Give it the least it needs</h2>
<p>On the server, create a token for these tools alone. It cannot go around the previews through REST or GraphQL:</p>
${block('A token for an agent', leastToken)}
<p>Leave out <code>--write</code> and <code>--scope</code> for an agent that only reads. If it has done what it should
not have, this takes back what nobody has built on since:</p>
${block('Taking back', 'npx goalpost token undo TOKEN_ID')}
</section>
</main>`,
    });
  const handle: Route['handle'] = async (request) => {
    const { origin } = new URL(request.url);
    if (demo?.key.isHeldBy(request)) return render(origin, demo.token);
    const base = publicUrl || origin;
    return kept.page(base, () => render(base, undefined));
  };
  return publicRoute(mcpPath, handle, { accepts: 'text/html' });
}

const leastToken = `npx goalpost token create --person PERSON_ID --name "My agent" --write \\
  --surface mcp --scope restore_document_version`;

const placeholder = 'gp_…';

/** How common clients are told of this gateway: a command, and an entry of a file. */
export function connecting(base: string, token = placeholder): Html {
  const url = `${base}${mcpPath}`;
  const authorization = `Bearer ${token}`;
  const command = `claude mcp add --transport http goalpost ${shellQuoted(url)} --header "Authorization: ${authorization}"`;
  const entry = { mcpServers: { goalpost: { type: 'http', url, headers: { Authorization: authorization } } } };
  return html`<p>In a terminal, for Claude Code:</p>
${block('Connect from a terminal', command)}
<p>Or in the file of another client, such as <code>mcp.json</code>:</p>
${block('Connect by a file', JSON.stringify(entry, null, 2))}`;
}

/** Code with a button that copies it. */
const block = (label: string, code: string): Html => html`<div class="token"><pre tabindex="0" role="region"
aria-label="${label}"><code>${highlighted(code)}</code></pre>
<button type="button" class="copy" hidden aria-label="Copy: ${label}">Copy</button></div>
`;
