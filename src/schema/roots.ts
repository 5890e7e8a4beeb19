import { builder } from './builder.js';

builder.queryType({ description: 'What a token may read. Only what its person may see exists.' });

/** The one place that says what a token needs for every mutation; the pipeline of both surfaces reads it. */
builder.mutationType({
  description: 'What a write-enabled token may do. A read-only token gets 403 for every field.',
  extensions: { scope: 'write' },
});
