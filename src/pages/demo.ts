import { isLocal } from '../http/loopback.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { type LookUp, type WorkedExamples, workedExamples } from './workedExamples.js';

/** The demo workspace and a token for it. Absent where the token must stay secret. */
export interface Demo {
  token: string;
  /** Runs a query as the token's person. Fails if the token is no longer valid. */
  lookUp: LookUp;
}

/** The examples of a page: with the demo's token and records for a visitor on its machine, else with placeholders. */
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
