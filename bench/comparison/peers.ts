import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../peers', import.meta.url));

/** Installs the peers, which are no dependencies of the product. */
export function installPeers(): void {
  if (existsSync(`${directory}/node_modules`)) return;
  execFileSync('npm', ['ci', '--prefix', directory, '--no-fund', '--no-audit'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
