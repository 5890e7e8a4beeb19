import { ListToolsResultSchema } from '@modelcontextprotocol/core';
import { ListToolsResultSchema as Before } from '@modelcontextprotocol/sdk/types.js';

const [, , address] = process.argv;
const response = await fetch(address, {
  method: 'POST',
  headers: { Authorization: `Bearer ${process.env.TOKEN}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
});
const { result } = await response.json();
const problems = [ListToolsResultSchema, Before].flatMap((schema) => schema.safeParse(result).error?.issues ?? []);
console.log(JSON.stringify({ tools: result.tools.length, problems }));
