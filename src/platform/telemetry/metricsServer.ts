import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

const path = '/metrics';
const maximumConnections = 20;

/** A small separate server for `/metrics`. Its failures do not affect the gateway. */
export class MetricsServer {
  readonly server: Server;
  /** Concurrent scrapes share one reading. */
  #reading: ReturnType<Metrics['read']> | undefined;

  /** Cuts off clients that need longer than `milliseconds` to send a request or to continue reading. */
  constructor(
    private readonly metrics: Pick<Metrics, 'read'>,
    private readonly logger: Logger,
    milliseconds = 10_000,
  ) {
    this.server = createServer({ requestTimeout: milliseconds, headersTimeout: milliseconds })
      .on('request', ({ method, url }, res) => {
        if (url?.replace(/\?.*/, '') !== path) respondWith(res, 404, `The metrics are at ${path}.\n`);
        else if (method !== 'GET' && method !== 'HEAD')
          respondWith(res.setHeader('Allow', 'GET, HEAD'), 405, 'Use GET.\n');
        else void this.#scrape(res);
      })
      .setTimeout(milliseconds);
    this.server.maxConnections = maximumConnections;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  async #scrape(res: ServerResponse): Promise<void> {
    try {
      this.#reading ??= this.metrics.read().finally(() => {
        this.#reading = undefined;
      });
      const { text, contentType } = await this.#reading;
      respondWith(res.setHeader('Content-Type', contentType), 200, text);
    } catch (error) {
      this.logger.error({ err: error }, 'cannot read the metrics');
      respondWith(res, 500, 'The metrics cannot be read. The log of the gateway has the cause.\n');
    }
  }
}

function respondWith(res: ServerResponse, status: number, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Length': Buffer.byteLength(text) }).end(text);
}
