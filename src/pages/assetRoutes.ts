import { readFile } from 'node:fs/promises';
import { contentRoute, types } from '../http/contentRoute.js';
import type { Route } from '../http/route.js';

const kinds = { js: types.script, css: types.style, svg: types.icon };

/** A file of a page: its name decides its `Content-Type`. */
export type AssetName = `${string}.${keyof typeof kinds}`;

/** A file of `assets/`, which the build copies beside the compiled pages. */
export const ownAsset = (name: AssetName) => new URL(`./assets/${name}`, import.meta.url);

/** A file of a third-party viewer, which the build copies out of its package: production installs none of them. */
export const vendorAsset = (name: AssetName) => new URL(`../../dist/pages/assets/vendor/${name}`, import.meta.url);

/** Public files, each at `prefix/name`; a browser keeps them and asks each time whether they changed. */
export const assetRoutes = (prefix: string, files: Record<AssetName, URL>): Route[] =>
  Object.entries(files).map(([name, file]) =>
    contentRoute(`${prefix}/${name}`, kinds[name.split('.').at(-1) as keyof typeof kinds], () => readFile(file)),
  );
