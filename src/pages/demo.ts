import { isLocal } from '../http/loopback.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { type LookUp, type WorkedExamples, workedExamples } from './workedExamples.js';

/** A workspace to try things on, and the token that may. Absent wherever the token is a secret. */
export interface Demo {
  token: string;
  /** Looks things up as the token's person; fails when the token is no longer valid. */
  lookUp: LookUp;
}

/** What a page offers to try: with the demo's token and on its records where that is the visitor's own, else placeholders. */
export interface Trial extends WorkedExamples {
  token: string | undefined;
}

export async function trialFor(
  request: Request,
  mutations: readonly PreparedMutation[],
  demo: Demo | undefined,
): Promise<Trial> {
  if (demo && isLocal(request)) {
    const examples = await workedExamples(mutations, demo.lookUp).catch(() => undefined);
    if (examples) return { ...examples, token: demo.token };
  }
  return { ...(await workedExamples(mutations)), token: undefined };
}
