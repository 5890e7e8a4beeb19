/** Whether a host name, as in a URL, means this machine and nothing else. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);

const forwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether a browser on this machine asked for this machine by name. A name that an attacker made resolve to 127.0.0.1
 * (DNS rebinding) is not ours, and a proxy speaks for someone who may be anywhere.
 */
export const isLocal = (request: Request): boolean =>
  isLoopback(new URL(request.url).hostname) && !forwarded.some((name) => request.headers.has(name));
