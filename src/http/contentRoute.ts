import { createHash } from 'node:crypto';
import { acceptsGzip, gzipped } from './compression.js';
import type { Route } from './route.js';

export const types = {
  script: 'text/javascript; charset=utf-8',
  style: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  icon: 'image/svg+xml',
} as const;

/** A route for public content that never changes. Loads it at the first request and caches it, also compressed. */
export function contentRoute(path: string, type: string, load: () => string | Promise<string | Buffer>): Route {
  let content: ReturnType<typeof prepare> | undefined;
  return {
    path,
    methods: ['GET', 'HEAD'],
    public: true,
    async handle(request) {
      content ??= prepare(load).catch((error) => {
        content = undefined;
        throw error;
      });
      const { plain, zipped, etag } = await content;
      const headers = {
        ETag: etag,
        'Cache-Control': 'public, no-cache',
        Vary: 'Accept-Encoding',
        'Cross-Origin-Resource-Policy': 'same-origin',
      };
      if (isFresh(request.headers.get('if-none-match'), etag)) return { status: 304, headers };
      const isZipped = acceptsGzip(request);
      const encoding: Record<string, string> = isZipped ? { 'Content-Encoding': 'gzip' } : {};
      return {
        status: 200,
        headers: { ...headers, 'Content-Type': type, ...encoding },
        body: isZipped ? zipped : plain,
      };
    },
  };
}

/** The ETag is weak, because both encodings share it. */
async function prepare(load: () => string | Promise<string | Buffer>) {
  const plain = Buffer.from(await load());
  const zipped = await gzipped(plain);
  return { plain, zipped, etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"` };
}

// Our ETags contain no comma, so splitting is enough. The packages `fresh` and `negotiator` would save no line here.
const isFresh = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || `W/${tag.trim().replace(/^W\//, '')}` === etag);
