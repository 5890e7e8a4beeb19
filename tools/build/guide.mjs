// Renders the documents to the pages that the gateway serves at /guide, with what their search knows. The table
// "Where everything is" of README.md says which pages there are, and in what order.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { Marked } from 'marked';

const home = 'README.md';
const settingsPage = 'docs/settings.md';
const errorsTable = /<!-- errors: .*?<!-- \/errors -->/s;

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (character) => entities[character]);

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Markdown without its marks, as search reads it. */
const plain = (markdown) =>
  markdown
    .replace(/<!--.*?-->|<[^>]+>|^[|:\s-]+$|[`*|#]/gms, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

/** The groups of pages that README.md names, in its order. */
function groupsOf(readme) {
  const groups = [];
  const [, table = ''] = readme.split('## Where everything is');
  for (const [, group, title, file, about] of table.matchAll(/^\|([^|]*)\| \[(.*?)\]\((.*?)\) \| (.*?) \|$/gm)) {
    if (group.trim()) groups.push({ title: group.trim(), pages: [] });
    groups.at(-1).pages.push({ title, file, about, path: `/guide/${basename(file, '.md').toLowerCase()}` });
  }
  if (groups.length === 0) throw new Error('README.md, "Where everything is": the table names no page');
  groups[0].pages.unshift({ title: 'Overview', file: home, about: '', path: '/guide' });
  return groups;
}

/** Marks the strings and comments of code. */
function highlighted(code, marks) {
  let end = 0;
  const parts = [...code.matchAll(marks)].map(({ index, 0: part, 1: text }) => {
    const before = escaped(code.slice(end, index));
    end = index + part.length;
    return `${before}<span class="${text ? 'string' : 'comment'}">${escaped(part)}</span>`;
  });
  return parts.join('') + escaped(code.slice(end));
}

/** Renders a document; returns its HTML and its sections. */
function render({ file, path }, text, { places, addressOf, marks }) {
  const sections = [];
  const labels = new Map();
  const linked = new Set([path]);
  let isPlain = false;
  const counted = (name) => {
    labels.set(name, (labels.get(name) ?? 0) + 1);
    return labels.get(name) === 1 ? name : `${name}, ${labels.get(name)}`;
  };
  const label = (what) => escaped(counted(`${what}: ${sections.at(-1)?.title ?? file}`));
  const without = (parse) => {
    const before = isPlain;
    isPlain = true;
    const made = parse();
    isPlain = before;
    return made;
  };
  const renderer = {
    heading({ tokens, depth, text: title }) {
      const anchor = counted(anchorOf(title)).replace(/, (\d+)$/, (_all, count) => `-${count - 1}`);
      sections.push({ title: plain(title), anchor, depth });
      const content = without(() => this.parser.parseInline(tokens));
      const shown = depth === 1 ? content : `<a class="anchor" href="#${anchor}">${content}</a>`;
      return `<h${depth} id="${anchor}">${shown}</h${depth}>\n`;
    },
    // A picture in text follows what Mermaid would draw, which needs a browser.
    code: ({ text: code, lang }) =>
      lang === 'mermaid'
        ? ''
        : `<pre tabindex="0" role="region" aria-label="${label('Example')}"><code>${highlighted(code, marks)}</code></pre>\n`,
    codespan({ text: code }) {
      const place = places.get(code) ?? places.get(/^POST (\/\S+)$/.exec(code)?.[1]);
      const made = `<code>${escaped(code)}</code>`;
      if (isPlain || !place || linked.has(place) || place.startsWith(`${path}#`)) return made;
      linked.add(place);
      return `<a href="${place}">${made}</a>`;
    },
    link({ href, tokens }) {
      const content = without(() => this.parser.parseInline(tokens));
      const address = addressOf(href, file);
      return address ? `<a href="${escaped(address)}">${content}</a>` : content;
    },
    table({ header, rows }) {
      const cell = ({ tokens }, tag) => `<${tag}>${this.parser.parseInline(tokens)}</${tag.split(' ')[0]}>`;
      const line = (cells) => {
        const [name] = cells;
        const id = /^`([A-Z][A-Z0-9_]+)`$/.exec(name.text)?.[1];
        return `<tr${id && !linked.has(`#${id}`) && linked.add(`#${id}`) ? ` id="${id}"` : ''}>${cells.map((each) => cell(each, 'td')).join('')}</tr>\n`;
      };
      const head = header.map((each) => (each.text ? cell(each, 'th scope="col"') : '<td></td>')).join('');
      return `<div class="table" tabindex="0" role="region" aria-label="${label('Table')}"><table><thead><tr>${head}</tr></thead>
<tbody>${rows.map(line).join('')}</tbody></table></div>\n`;
    },
    html: ({ text: html }) =>
      html
        .replace(/<!--.*?-->/gs, '')
        .replace(/\b(src|srcset)="([^"]+)"/g, (_all, name, target) => `${name}="${addressOf(target, file)}"`),
  };
  const body = new Marked({ renderer }).parse(text);
  return { body, sections };
}

/** The sections of a document with their texts, for search. */
function recordsOf({ title: page, path }, text, sections) {
  const parts = text
    .replace(/^```(\w+)\n(.*?)^```$/gms, (_all, _language, code) => code.replace(/^#/gm, ' '))
    .split(/^#{1,4} .*$/m)
    .slice(1);
  return sections.map(({ title, anchor, depth }, index) => ({
    kind: 'Guide',
    title: depth === 1 ? page : title,
    page: depth === 1 ? '' : page,
    url: depth === 1 ? path : `${path}#${anchor}`,
    text: plain(parts[index] ?? ''),
  }));
}

/** What code names, and where that is explained: errors, settings and REST paths. */
function placesOf(root, texts, settings) {
  const codes = [...texts.values()].flatMap((text) => [
    ...(errorsTable.exec(text)?.[0] ?? '').matchAll(/^\| `(\w+)`/gm),
  ]);
  const { paths, servers } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));
  const operations = Object.entries(paths).map(([path, { post }]) => [
    servers[0].url + path,
    `/docs#${post.operationId}`,
  ]);
  return new Map([
    ...codes.map(([, code]) => [code, `/errors/${code}`]),
    ...settings.map(({ name }) => [name, `${pagePath(settingsPage)}#${name}`]),
    ...operations,
    // What every gateway serves beside the guide.
    ...['/docs', '/errors', '/history'].map((path) => [path, path]),
  ]);
}

const pagePath = (file) => `/guide/${basename(file, '.md').toLowerCase()}`;

/** Writes `dist/guide`: a file for each page, what they show or link to, their contents, and what search knows. */
export function buildGuide(root, dist, marks) {
  const out = join(dist, 'guide');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const groups = groupsOf(read(home));
  const pages = groups.flatMap((group) => group.pages);
  const texts = new Map(pages.map(({ file }) => [file, read(file)]));
  const settings = [...read(settingsPage).matchAll(/^\| `([A-Z_]+)` \| [^|]* \| (.*) \|$/gm)].map(
    ([, name, meaning]) => ({ name, meaning }),
  );
  const files = new Map();
  /** The address in the guide of what a document links to; undefined if the package does not have it, which a test forbids. */
  const addressOf = (href, from) => {
    if (/^[a-z]+:|^#/.test(href)) return href;
    const [target, anchor] = href.split('#');
    const file = normalize(join(dirname(from), target));
    const page = pages.find((each) => each.file === file);
    if (page) return page.path + (anchor ? `#${anchor}` : '');
    if (['openapi.json', 'schema.graphql'].includes(file)) return `/${file}`;
    if (!['.png', '.svg', '.json', '.yml', '.ts', '.sql'].includes(extname(file))) return undefined;
    files.set(file, basename(file));
    return `/guide/${basename(file)}`;
  };
  const places = placesOf(root, texts, settings);
  const records = [];
  for (const page of pages) {
    const { body, sections } = render(page, texts.get(page.file), { places, addressOf, marks });
    writeFileSync(join(out, `${basename(page.path)}.html`), body);
    page.sections = sections.filter(({ depth }) => depth === 2).map(({ title, anchor }) => ({ title, anchor }));
    records.push(...recordsOf(page, texts.get(page.file), sections));
  }
  for (const { name, meaning } of settings)
    records.push({ kind: 'Setting', title: name, page: '', url: places.get(name), text: plain(meaning) });
  for (const [file, name] of files) cpSync(join(root, file), join(out, name));
  const contents = {
    files: [...files.values()],
    groups: groups.map(({ title, pages: inside }) => ({ title, pages: inside.map(({ file: _, ...page }) => page) })),
  };
  writeFileSync(join(out, 'contents.json'), JSON.stringify(contents));
  writeFileSync(join(out, 'search.json'), JSON.stringify(records));
}
