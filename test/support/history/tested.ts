import type pg from 'pg';

/** What the clients of a history need of the system that they test. */
export interface Tested {
  pool: pg.Pool;
  gateways: readonly { readonly base: string | undefined }[];
  issueToken(personId: string): Promise<{ id: string; token: string }>;
}
