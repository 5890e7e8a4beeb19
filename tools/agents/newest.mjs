import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { run } from './run.mjs';

await run({ Client, StreamableHTTPClientTransport, options: { versionNegotiation: { mode: 'auto' } } });
