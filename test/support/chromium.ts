import { existsSync } from 'node:fs';

const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].filter((place) => place !== undefined);

/** A browser of this machine, if it has one. */
export const chromium = places.find((place) => existsSync(place));

export const missing = `no Chromium here (looked for ${places.join(', ')}): install one, or set CHROMIUM to where it is`;

export const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
