import { readFile } from 'node:fs/promises';
import { fileUrl } from '../files.js';
import { contentRoute, types } from '../http/contentRoute.js';
import type { Route } from '../http/route.js';

const kinds = { js: types.script, css: types.style, svg: types.icon, ico: types.icon };

/** The name of a page's file. Its extension decides the `Content-Type`. */
export type AssetName = `${string}.${keyof typeof kinds}`;

/** A file of `assets/`, which the build copies beside the compiled pages. */
export const ownAsset = (name: AssetName) => fileUrl(`pages/assets/${name}`);

/** A compiled file that browsers load too. */
export const builtAsset = (path: AssetName) => fileUrl(`../dist/${path}`);

/** A file of a third-party viewer, which the build copies from its package: production does not install the viewers. */
export const vendorAsset = (name: AssetName) => builtAsset(`pages/assets/vendor/${name}`);

/** Public files at `prefix/name`. Browsers keep them and ask each time whether they changed. */
export const assetRoutes = (prefix: string, files: Record<AssetName, URL>): Route[] =>
  Object.entries(files).map(([name, file]) => ({
    ...contentRoute(`${prefix}/${name}`, kinds[name.split('.').at(-1) as keyof typeof kinds], () => readFile(file)),
    isFile: true,
  }));
