import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// After an installation in a checkout. With NODE_ENV=production, npm leaves out what the build needs.
if (!existsSync('node_modules/prisma') || !existsSync('node_modules/esbuild')) {
  console.error('The build tools are not installed, as with NODE_ENV=production: run npm ci --include=dev');
  process.exit(1);
}
execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
