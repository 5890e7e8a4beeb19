// `npm run schema` writes what is generated from the code: recorded examples, tables in the documents, and the contract.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const npx = (...args) => execFileSync('npx', args, { stdio: 'inherit' });
const printed = (what) => execFileSync('node', ['dist/main.js', what], { maxBuffer: 2 ** 26 });

const recording = ['test/contract/recordedExamples.test.ts', 'test/project/documents.test.ts'];
npx('vitest', 'run', ...recording, 'test/project/documentsImporting.test.ts', '--update');
execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
writeFileSync('schema.graphql', printed('schema'));
writeFileSync('openapi.json', printed('openapi'));
