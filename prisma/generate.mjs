// What `prisma generate` does, without the Prisma CLI: 160 MB of Studio, a development server and drivers that nothing here needs.
import { createRequire } from 'node:module';
import internals from '@prisma/internals';

// Its ES module imports files without their extensions.
const require = createRequire(import.meta.url);
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
const { getGenerators, loadSchemaContext } = internals;

// The generators in the schema are found as npm scripts find their commands.
process.env.PATH = `node_modules/.bin:${process.env.PATH}`;

const schemaContext = await loadSchemaContext({
  schemaPath: { cliProvidedPath: 'prisma/schema.prisma' },
  printLoadMessage: false,
});
const generators = await getGenerators({
  schemaContext,
  registry: { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } },
  skipDownload: true,
  cliCommand: 'generate',
});
for (const generator of generators) {
  await generator.generate();
  generator.stop();
}
