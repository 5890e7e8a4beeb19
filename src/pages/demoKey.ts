import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isLocal } from '../http/loopback.js';
import type { RequestHead } from '../http/requestHead.js';

const secret = () => randomBytes(32).toString('base64url');
const newSecrets = () => ({ start: secret(), session: secret() });
const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

/**
 * Who may see the demo's token on the pages: who has the start address, which only the terminal shows. Opening it sets a
 * cookie. Both hold until this process ends, because a secret that works only once would lock out its owner whenever a
 * terminal previews the link or a second browser is used, while the terminal shows where the token is anyway. Workers of
 * one gateway share the secrets.
 */
export class DemoKey {
  /** The session is not the start, so that what reads a cookie cannot hand on the start address. */
  readonly secrets: { start: string; session: string };

  constructor(secrets = newSecrets()) {
    this.secrets = secrets;
  }

  /** The start address for the person at the terminal. */
  addressAt(base: string): string {
    return `${base}/?demo=${this.secrets.start}`;
  }

  /** The cookie for a browser on this machine that comes with the secret. */
  cookieFor(request: RequestHead): string | undefined {
    const given = new URL(request.url).searchParams.get('demo') ?? '';
    if (!isLocal(request) || !isSame(given, this.secrets.start)) return undefined;
    return `${cookieName(request)}=${this.secrets.session}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Whether a browser on this machine has the cookie. */
  isHeldBy(request: RequestHead): boolean {
    if (!isLocal(request)) return false;
    const cookies = (request.headers.get('cookie') ?? '').split(/; ?/);
    return cookies.some((cookie) => isSame(cookie, `${cookieName(request)}=${this.secrets.session}`));
  }
}

/** With the port, because the servers of a host share their cookies. */
const cookieName = (request: RequestHead) => `goalpost_demo_${new URL(request.url).port || '80'}`;
