import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pathOf } from './documents.js';
import { builtMain } from './goalpost.js';

const run = promisify(execFile);

// `npx` runs the local packages, `goalpost serve` aside, which would not end; npm installs nothing.
const shell = `
npm() {
  case "$*" in
    'install '*) ;;
    *) command npm "$@" > /dev/null 2>&1 ;;
  esac
}
npx() {
  case "$*" in
    'goalpost serve') ;;
    'goalpost '*) shift; "$NODE" "$MAIN" "$@" ;;
    *) "$@" ;;
  esac
}
`;

/** Runs a script of a document in a folder, as written except for the replaced placeholders. Returns its output. */
export async function pasteInto(
  folder: string,
  script: string,
  replaced: Record<string, string> = {},
): Promise<string> {
  const meant = Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), script);
  const { DATABASE_URL: _, ...environment } = process.env;
  const { stdout } = await run('/bin/sh', ['-euc', shell + meant], {
    cwd: folder,
    env: {
      ...environment,
      NODE: process.execPath,
      MAIN: builtMain,
      PATH: [pathOf('test/client/node_modules/.bin'), pathOf('node_modules/.bin'), environment.PATH].join(':'),
    },
  });
  return stdout;
}
