import { builder } from './builder.js';

builder.queryType({
  description: 'The read operations. Every token can run them, and they return only what its person can see.',
});

/** The one place that says that every mutation needs a write-enabled token; both surfaces check it from here. */
builder.mutationType({
  description: 'The write operations. They need a write-enabled token: a read-only token is rejected with 403.',
  extensions: { scope: 'write' },
});

builder.subscriptionType({
  description: 'The live streams, as server-sent events. Every token can open them.',
});
