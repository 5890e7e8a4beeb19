// Removes from @prisma/client what is never loaded: source maps, and the query compilers of other databases, module
// systems and sizes, 64 MB together. The generated client names the files it loads.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const runtime = fileURLToPath(new URL('../node_modules/@prisma/client/runtime/', import.meta.url));
const client = readFileSync(new URL('../dist/database/generated/client/internal/class.js', import.meta.url), 'utf8');
const loaded = Array.from(client.matchAll(/@prisma\/client\/runtime\/([\w.-]+)/g), ([, file]) => file);

const isCompiler = (file) => file.startsWith('query_compiler_');
const isUnused = (file) => file.endsWith('.map') || (isCompiler(file) && !loaded.includes(file));

if (!loaded.some(isCompiler)) throw new Error('The generated client names no query compiler: which one stays?');
for (const file of readdirSync(runtime).filter(isUnused)) rmSync(runtime + file);
