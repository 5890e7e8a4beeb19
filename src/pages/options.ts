import type { PreparedMutation } from '../rest/routes.js';
import type { Config } from '../settings.js';
import type { Demo } from './demoAccess.js';
import type { HasPage } from './html.js';

/** What pages are made of. */
export interface PageOptions extends Pick<Config, 'publicUrl' | 'mcp'> {
  mutations: readonly PreparedMutation[];
  hasPage: HasPage;
  demo: Demo | undefined;
}
