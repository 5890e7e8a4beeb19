// Runs `prisma generate` without a download: generation needs no engine, but the CLI insists on finding one.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
const { status, stderr } = spawnSync(
  process.execPath,
  [cli, 'generate', '--config', 'prisma/prisma.config.ts', '--no-hints'],
  {
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `node_modules/.bin:${process.env.PATH}`,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
    },
  },
);
if (status !== 0) process.stderr.write(stderr);
process.exit(status ?? 1);
