import { createServer } from 'node:net';

/** For a gateway with `loopDelay.mjs`. */
export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** The longest block of its event loop since it was asked last, in milliseconds; NaN if it is gone. */
export async function longestBlock(port: number): Promise<number> {
  const url = `http://127.0.0.1:${port}`;
  const text = fetch(url, { headers: { connection: 'close' } }).then((response) => response.text());
  return Number(await text.catch(() => Number.NaN));
}
