import { spawn } from 'node:child_process';
import http from 'node:http';
import { fileURLToPath } from 'node:url';

/** The suite needs a function of Node 22 for what it does not do here. */
const hook = `export async function resolve(name, context, next) {
  if (name !== 'fs' || !context.parentURL?.includes('/conformance/')) return next(name, context);
  const source = 'export * from "node:fs"; export const globSync = () => [];';
  return { shortCircuit: true, url: 'data:text/javascript,' + encodeURIComponent(source) };
}`;
const source = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));`;
const main = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const [, , address, ...scenarios] = process.argv;
const { port, pathname } = new URL(address);

const suite = (...args) =>
  new Promise((resolve) => {
    const node = ['--import', `data:text/javascript,${encodeURIComponent(source)}`, main, ...args];
    const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.on('exit', (code) => resolve({ code, output }));
  });

// The suite sends no token.
const proxy = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${process.env.TOKEN}` };
  const { method, url } = request;
  const passed = http.request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  request.pipe(passed);
});
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const url = `http://localhost:${proxy.address().port}${pathname}`;

const outcomes = {};
for (const scenario of scenarios) {
  const { code, output } = await suite('server', '--url', url, '--scenario', scenario);
  outcomes[scenario] = code === 0 ? 'passed' : output;
}
console.log(JSON.stringify(outcomes));
proxy.close();
