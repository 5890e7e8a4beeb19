import { addressOf } from '../../config/addressOf.js';
import type { Config } from '../../config/config.js';
import { readDemoTokens } from '../demoTokens.js';
import { UsageError } from '../usageError.js';
import type { WantedEvents } from './followEvents.js';
import type { ListenedGateway } from './readStream.js';

export interface ListenOptions {
  gateway?: string;
  token?: string;
  forwardTo?: string;
  actions?: string;
  after?: string;
}

export interface Listening {
  gateway: ListenedGateway;
  wanted: WantedEvents;
  forwardTo: string | undefined;
}

/** Where to listen, as whom, and to what. Without options, to the gateway of the settings as the demo. */
export async function readListenOptions(
  { host, port, dataDir }: Config,
  { gateway = addressOf(host, port), token, forwardTo, actions, after }: ListenOptions,
): Promise<Listening> {
  const base = webAddress('--gateway', gateway);
  const url = base.pathname.endsWith('/graphql') ? base : new URL('/graphql', base);
  const found = token ?? (await readDemoTokens(dataDir).catch(() => undefined))?.write;
  if (!found) {
    throw new UsageError('there is no token: set TOKEN. Example: TOKEN=gp_… npx goalpost listen');
  }
  if (/[^\x21-\x7e]/.test(found)) throw new UsageError('TOKEN is no token: it has a character that none has');
  return {
    gateway: { url: url.href, token: found },
    wanted: { actions: actions?.split(',').map(actionOf), after },
    forwardTo: forwardTo === undefined ? undefined : webAddress('--forward-to', forwardTo).href,
  };
}

/** An action or a type of events as GraphQL spells it: `goal.reopened` becomes `GOAL_REOPENED`. */
const actionOf = (text: string): string => text.trim().replace('.', '_').toUpperCase();

function webAddress(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw new UsageError(
    `${option} takes an http:// or https:// address without a password, such as http://localhost:3000/`,
  );
}
