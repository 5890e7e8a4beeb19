import type { Route } from '../http/route.js';
import { type AssetName, assetRoutes, builtAsset, ownAsset } from './assetRoutes.js';

const ownFiles: AssetName[] = [
  'icon.svg',
  'goalpost.css',
  'contents.js',
  'copy.js',
  'elements.js',
  'exampleBlock.js',
  'examples.js',
  'exchange.js',
  'filter.js',
  'mistakes.js',
  'preview.js',
  'reveal.js',
  'token.js',
];

/** The files that several pages load. */
export const sharedFiles = (): Route[] => [
  ...assetRoutes('/pages', {
    ...Object.fromEntries(ownFiles.map((name) => [name, ownAsset(name)])),
    'samples.js': builtAsset('pages/assets/samples.js'),
    'codeMarks.js': builtAsset('pages/assets/codeMarks.js'),
    'plainText.js': builtAsset('text/plainText.js'),
    'richText.js': builtAsset('text/richText.js'),
  }),
  // Browsers ask for this name beside what is no page, and take the same picture.
  ...assetRoutes('', { 'favicon.ico': ownAsset('icon.svg') }),
];
