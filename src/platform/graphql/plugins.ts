import { GraphQLError } from 'graphql';
import { ConfigError } from '../settings/index.js';
import type { Plugin } from './operation.js';

/** Hooks of Yoga's own HTTP handling, which the gateway does itself, and phases of its `instrumentation`. */
const neverRun = ['onRequest', 'onRequestParse', 'onParams', 'onExecutionResult', 'onResultProcess', 'onResponse'];
const neverMeasured = ['request', 'requestParse', 'operation', 'resultProcess'];

/** Plugins of Envelop or Yoga. Throws a ConfigError for a hook that would never run, as one may be there to refuse requests. */
export function readPlugins(given: readonly unknown[]): Plugin[] {
  if (!Array.isArray(given)) throw new ConfigError('plugins must be a list');
  return given.map((plugin, index) => {
    if (typeof plugin !== 'object' || plugin === null) throw new ConfigError(`plugins[${index}] is no object`);
    const has = (object: object, name: string) => (object as Record<string, unknown>)[name] !== undefined;
    const measured = (plugin as { instrumentation?: object }).instrumentation ?? {};
    const unused = [
      ...neverRun.filter((name) => has(plugin, name)),
      ...neverMeasured.filter((name) => has(measured, name)).map((name) => `instrumentation.${name}`),
    ];
    if (unused.length > 0)
      throw new ConfigError(
        `plugins[${index}] has what never runs here, because the gateway reads requests itself: ${unused.join(', ')}`,
      );
    return plugin as Plugin;
  });
}

/** What a plugin throws as an error of ours: in an application it comes from another copy of graphql than the gateway's. */
export function ownError(error: unknown): unknown {
  if (error instanceof GraphQLError || !(error instanceof Error) || error.name !== 'GraphQLError') return error;
  const { message, nodes, source, positions, path, extensions } = error as GraphQLError;
  return new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, extensions });
}
