import { readFile } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { fileUrl } from '../fileSystem.js';
import { cachedResponse, contentRoute, type HttpResponse, type Route } from '../platform/http/index.js';

export type AssetName = `${string}.${'js' | 'css' | 'svg' | 'ico' | 'png' | 'json' | 'yml' | 'ts' | 'sql'}`;

/** A file of `assets/`, which the build copies beside the compiled pages. */
export const ownAsset = (name: AssetName) => fileUrl(`pages/assets/${name}`);

/** A file that the build has made, in `dist/`. */
export const builtAsset = (path: string) => fileUrl(`../dist/${path}`);

/** A file of a third-party viewer, which the build copies from its package: production does not install the viewers. */
export const vendorAsset = (name: AssetName) => builtAsset(`pages/assets/vendor/${name}`);

/** Public files at `prefix/name`. Browsers keep them and ask each time whether they changed. */
export const assetRoutes = (prefix: string, files: Record<AssetName, URL>): Route[] =>
  Object.entries(files).map(([name, file]) => ({
    ...contentRoute(`${prefix}/${name}`, () => readFile(file)),
    unlimited: true,
  }));

/** A variant has up to 300 kB. Clients choose the host, which some pages show. */
const mostVariants = 16;

/** Renders a page once for each variant, and keeps the latest variants, compressed too: strangers ask for them. */
export function keptPages(most = mostVariants) {
  const variants = new LRUCache<string, Promise<HttpResponse>>({ max: most });
  return (variant: string, render: () => HttpResponse | Promise<HttpResponse>): Promise<HttpResponse> => {
    const known = variants.get(variant);
    if (known) return known;
    const page = Promise.resolve().then(render).then(cachedResponse);
    page.catch(() => variants.delete(variant));
    variants.set(variant, page);
    return page;
  };
}

const ownFiles: AssetName[] = [
  'ask.js',
  'blocks.js',
  'icon.svg',
  'goalpost.css',
  'contents.js',
  'copy.js',
  'elements.js',
  'filter.js',
  'highlight.js',
  'history.js',
  'reveal.js',
  'start.js',
  'token.js',
];

export const sharedFiles = (): Route[] => [
  ...assetRoutes('/pages', {
    ...Object.fromEntries(ownFiles.map((name) => [name, ownAsset(name)])),
    'codeMarks.js': builtAsset('pages/assets/codeMarks.js'),
  }),
  // Browsers ask for this name beside what is no page, and take the same picture.
  ...assetRoutes('', { 'favicon.ico': ownAsset('icon.svg') }),
];
