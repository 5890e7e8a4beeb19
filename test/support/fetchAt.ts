import { Client } from 'undici';

/** Sends a request to a server that its caller knows under the host of the request's URL. Follows no redirect. */
export async function fetchAt(base: string, request: Request): Promise<Response> {
  const { host, pathname, search } = new URL(request.url);
  const client = new Client(base);
  const { statusCode, headers, body } = await client.request({
    path: pathname + search,
    method: request.method as 'GET',
    headers: { ...Object.fromEntries(request.headers), host },
    body: request.body && Buffer.from(await request.arrayBuffer()),
  });
  const bytes = await body.arrayBuffer();
  await client.close();
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(bytes.byteLength > 0 ? bytes : null, { status: statusCode, headers: given });
}
