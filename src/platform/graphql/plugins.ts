import { GraphQLError } from 'graphql';
import { ConfigError } from '../settings/index.js';
import type { Plugin } from './operation.js';

/** Hooks of Yoga's own HTTP handling, which the gateway does itself, and phases of its `instrumentation`. */
const neverRun = ['onRequest', 'onRequestParse', 'onParams', 'onExecutionResult', 'onResultProcess', 'onResponse'];
const neverMeasured = ['request', 'requestParse', 'operation', 'resultProcess'];

/** Hooks that may replace the schema. */
const replacing = ['onPluginInit', 'onSchemaChange', 'onEnveloped'];

/** Hooks that run, and what a plugin may have beside them. */
const known = [
  ...['onPluginInit', 'onYogaInit', 'onSchemaChange', 'onEnveloped', 'onContextBuilding', 'onParse', 'onValidate'],
  ...['onExecute', 'onSubscribe', 'onDispose', 'instrumentation'],
];

/** A plugin that cannot replace the schema: REST and the tools are made of it. Throws a ConfigError with its name if it tries. */
function withOurSchema(plugin: Plugin, name: string): Plugin {
  if (!replacing.some((hook) => hook in plugin)) return plugin;
  const refuse = () => {
    throw new ConfigError(`${name} replaces the schema, as useSchema does: the gateway has its own. Leave it out`);
  };
  const hooks = known.flatMap((hook) => {
    const given = plugin[hook as keyof Plugin] as unknown;
    if (typeof given !== 'function') return given === undefined ? [] : [[hook, given]];
    // Its methods may have private fields.
    const bound = given.bind(plugin);
    if (!replacing.includes(hook)) return [[hook, bound]];
    return [[hook, (payload: object) => bound({ ...payload, setSchema: refuse, replaceSchema: refuse })]];
  });
  return Object.fromEntries(hooks);
}

/**
 * Plugins of Envelop or Yoga. Throws a ConfigError for a hook that would never run, as one may be there to refuse requests,
 * and for what is no plugin but holds some, such as a list of them.
 */
export function readPlugins(given: readonly unknown[]): Plugin[] {
  if (!Array.isArray(given)) throw new ConfigError('plugins must be a list');
  return given.map((plugin, index) => {
    if (typeof plugin !== 'object' || plugin === null) throw new ConfigError(`plugins[${index}] is no object`);
    if (Array.isArray(plugin)) throw new ConfigError(`plugins[${index}] is a list: spread it (...) into plugins`);
    if ('then' in plugin) throw new ConfigError(`plugins[${index}] is a promise: await it`);
    const has = (object: object, name: string) => (object as Record<string, unknown>)[name] !== undefined;
    const measured = (plugin as { instrumentation?: object }).instrumentation ?? {};
    const unused = [
      ...neverRun.filter((name) => has(plugin, name)),
      ...neverMeasured.filter((name) => has(measured, name)).map((name) => `instrumentation.${name}`),
    ];
    if (unused.length > 0)
      throw new ConfigError(
        `plugins[${index}] has what never runs here, because the gateway reads requests itself: ${unused.join(', ')}. docs/embedding.md says what runs`,
      );
    const names = Object.keys(plugin);
    if (names.length > 0 && !known.some((name) => has(plugin, name)))
      throw new ConfigError(`plugins[${index}] has no hook of Envelop or Yoga, only ${names.join(', ')}`);
    return withOurSchema(plugin as Plugin, `plugins[${index}]`);
  });
}

/** What a plugin throws as an error of ours: in an application it comes from another copy of graphql than the gateway's. */
export function ownError(error: unknown): unknown {
  if (error instanceof GraphQLError || !(error instanceof Error) || error.name !== 'GraphQLError') return error;
  const { message, nodes, source, positions, path, extensions } = error as GraphQLError;
  return new GraphQLError(message, { nodes: nodes ?? null, source, positions, path, extensions });
}
