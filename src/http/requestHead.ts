import type { IncomingMessage } from 'node:http';

/** What the steps read of a request before its body. A fetch Request fits too, but costs far more to create. */
export interface RequestHead {
  readonly method: string;
  /** Absolute, as its caller sees it. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** The head of Node's request, whose target and `Host` are checked. */
export function headOf({ method = '', url = '', headers, socket }: IncomingMessage): RequestHead {
  const get = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  // Only HTTP/1.0 may omit the host.
  const host = headers.host ?? (socket.localAddress?.includes(':') ? 'localhost' : socket.localAddress);
  return { method, url: `http://${host}${url}`, headers: { get, has: (name) => get(name) !== null } };
}
