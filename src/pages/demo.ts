import type { RequestHead } from '../http/requestHead.js';
import type { PreparedMutation } from '../rest/prepare.js';
import type { LookUp } from '../rest/storedMutation.js';
import type { DemoKey } from './demoKey.js';
import { type Html, html } from './html.js';
import { type WorkedExamples, workedExamples } from './workedExamples.js';

/** The demo workspace and a token for it. Absent where the token must stay secret. */
export interface Demo {
  token: string;
  /** A token that may not write, to show what such a token gets. */
  readOnlyToken?: string | undefined;
  key: DemoKey;
  /** Runs a query as the token's person. Fails if the token is no longer valid. */
  lookUp: LookUp;
}

/** The examples of a page: with the demo's token and records for who holds its key, else with placeholders. */
export interface Trial extends WorkedExamples {
  token: string | undefined;
  readOnlyToken?: string | undefined;
}

/** What stands before the start address in the terminal. */
export const startLabel = 'Open';

/** For a visitor who has not opened the start address. */
export const howToOpenTheDemo: Html = html`This is a demo. To use its token here, open the address that the gateway
printed after <code>${startLabel}</code> when it started.`;

/** The trial for who holds the demo's key, as long as its token is valid. */
export async function trialFor(
  request: RequestHead,
  mutations: readonly PreparedMutation[],
  demo: Demo | undefined,
): Promise<Trial | undefined> {
  if (!demo?.key.isHeldBy(request)) return undefined;
  const examples = await workedExamples(mutations, demo.lookUp).catch(() => undefined);
  return examples && { ...examples, token: demo.token, readOnlyToken: demo.readOnlyToken };
}

/** The trial for everybody else. */
export const trialForStrangers = async (mutations: readonly PreparedMutation[]): Promise<Trial> => ({
  ...(await workedExamples(mutations)),
  token: undefined,
});
