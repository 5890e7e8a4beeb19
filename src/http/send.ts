import type { ServerResponse } from 'node:http';
import type { CompleteAnswer } from './problem.js';

/** Our answers are short and complete, so they are sent at once and with their length. */
export async function send(answer: Response | CompleteAnswer, res: ServerResponse): Promise<void> {
  if ('arrayBuffer' in answer) await sendResponse(answer, res);
  else sendComplete(answer, res);
}

function sendComplete({ status, headers, body }: CompleteAnswer, res: ServerResponse): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
}

async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  const body = response.body ? Buffer.from(await response.arrayBuffer()) : undefined;
  if (res.headersSent || res.destroyed) return;
  res.setHeaders(response.headers);
  if (body) res.setHeader('Content-Length', body.length);
  res.writeHead(response.status, response.statusText);
  res.end(body);
}
