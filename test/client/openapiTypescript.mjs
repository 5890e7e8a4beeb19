#!/usr/bin/env node
// So that `npx openapi-typescript` works everywhere in the repository, with the TypeScript of this package.
await import(new URL('../bin/cli.js', import.meta.resolve('openapi-typescript')).href);
