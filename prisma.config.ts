// For Prisma's command line. The product itself migrates without it, and reads no file of this.
import { existsSync } from 'node:fs';
import { defineConfig } from 'prisma/config';

// Like the product, and as Prisma itself no longer does.
if (existsSync('.env')) process.loadEnvFile();

// Only these ask for the schema engine, which Prisma downloads; for the others, any program does that exists.
const needsEngine = ['migrate', 'db', 'version', '-v', '--version'].includes(process.argv[2] ?? '');
if (!needsEngine) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
// Nor does it ask whether there is a newer version.
process.env.CHECKPOINT_DISABLE ??= '1';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
