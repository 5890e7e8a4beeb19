import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { callEach } from './run.mjs';

const [, , url] = process.argv;
const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
const client = new MultiServerMCPClient({ mcpServers: { goalpost: { transport: 'http', url, headers } } });
const tools = new Map((await client.getTools()).map((tool) => [tool.name, tool]));
const each = await callEach(async (name, given) => {
  try {
    const [, { text }] = await tools.get(name).invoke(given);
    return { isError: false, data: JSON.parse(text) };
  } catch (error) {
    // Also thrown: a result that is a failure, and arguments that the schema of the tool refuses, which are not sent.
    if (!/returned an error|tool input did not match/.test(error.message)) throw error;
    return { isError: true };
  }
});
await client.close();
console.log(JSON.stringify({ names: [...tools.keys()], each }));
