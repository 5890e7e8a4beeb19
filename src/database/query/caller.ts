/** Who asks: a token and its company, or the address of a request without a token that is known, as both. */
export interface Caller {
  id: string;
  group: string;
}

/** The gateway itself, such as its health checks. It needs little, so that nobody keeps slots free for it. */
export const nobody: Caller = { id: '', group: '' };
