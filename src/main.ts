#!/usr/bin/env node
// Before graphql-js is loaded, which compares the names of classes for each value elsewhere.
// biome-ignore lint/style/noProcessEnv: it is no setting of ours.
Object.assign(process.env, { NODE_ENV: 'production' });
await import('./commandLine.js');
