import type { RequestHead } from './requestHead.js';

/** Whether the host name of a URL can only mean this machine. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether a request comes from this machine. Its host name must be local, because an attacker can make another name
 * resolve to 127.0.0.1 (DNS rebinding), and no proxy may have forwarded it, because its client may be anywhere.
 */
export function isLocal(request: RequestHead): boolean {
  const { hostname, username, password } = new URL(request.url);
  return isLoopback(hostname) && !username && !password && !proxyHeaders.some((name) => request.headers.has(name));
}
