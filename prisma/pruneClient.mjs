// Removes from @prisma/client what this product never loads: the query compilers of other databases, module systems and
// sizes, 64 MB of base64, and source maps.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const runtime = fileURLToPath(new URL('../node_modules/@prisma/client/runtime/', import.meta.url));
const client = readFileSync(new URL('../dist/database/generated/client/internal/class.js', import.meta.url), 'utf8');
const loaded = Array.from(client.matchAll(/@prisma\/client\/runtime\/([\w.-]+)/g), ([, file]) => file);

const isCompiler = (file) => file.startsWith('query_compiler_');
const isUnused = (file) => (isCompiler(file) && !loaded.includes(file)) || file.endsWith('.map');

if (!loaded.some(isCompiler)) throw new Error('The generated Prisma client names no query compiler: nothing is removed.');
for (const file of readdirSync(runtime).filter(isUnused)) rmSync(runtime + file);
