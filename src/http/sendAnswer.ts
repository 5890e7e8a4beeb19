import type { ServerResponse } from 'node:http';

/** Our answers are short and complete, so they are sent at once and with their length. */
export async function sendAnswer(response: Response, res: ServerResponse): Promise<void> {
  const body = response.body ? Buffer.from(await response.arrayBuffer()) : undefined;
  if (res.headersSent || res.destroyed) return;
  res.setHeaders(response.headers);
  if (body) res.setHeader('Content-Length', body.length);
  res.writeHead(response.status, response.statusText);
  res.end(body);
}
