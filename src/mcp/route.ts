import { lazy } from '../platform/caching/index.js';
import { quoted, shortened } from '../platform/failures/index.js';
import {
  type CallerContext,
  type HttpResponse,
  isLoopback,
  type RequestHead,
  type Route,
  readAccept,
  readJson,
} from '../platform/http/index.js';
import { restProblem } from '../rest/routes.js';
import type { Config } from '../settings.js';
import type { ToolsOptions } from './tools.js';

const mcpPath = '/mcp';

interface McpOptions extends ToolsOptions, Pick<Config, 'bodyLimit' | 'corsOrigins'> {}

const codes = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  refused: -32_000,
  version: -32_022,
};

/** The methods whose name the log and the metrics have. */
const methods = ['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call'];

/** The tools over HTTP, without a session. The first request loads the protocol and prepares the documents. */
export function mcpRoute({ bodyLimit, publicUrl, corsOrigins, ...options }: McpOptions): Route {
  const { mask } = options;
  const loaded = lazy(async () => {
    const [{ createProtocol, versions }, { createTools }] = await Promise.all([
      import('./protocol.js'),
      import('./tools.js'),
    ]);
    const tools = createTools({ ...options, publicUrl });
    // A message that the SDK refuses is the client's: it gets to know.
    return { tools, serve: createProtocol(tools, () => {}), versions };
  });

  async function handle(request: RequestHead, context: CallerContext): Promise<HttpResponse> {
    const foreign = foreignNames(request, { publicUrl, corsOrigins });
    if (foreign) return rpcError(403, codes.refused, foreign);
    let body: unknown;
    try {
      body = await readJson(request, bodyLimit, context);
    } catch (thrown) {
      const error = mask(thrown, context);
      if (error.extensions.code !== 'MALFORMED_JSON') throw error;
      context.record.addErrors([error]);
      return rpcError(400, codes.parse, error.message, restProblem(error, context.requestId, publicUrl).problem);
    }
    if (Array.isArray(body))
      return rpcError(400, codes.request, 'A batch is not supported. Send one message a request.');
    const { method, id, params } = messageOf(body);
    const invalid = method === 'tools/call' ? invalidCall(params) : undefined;
    if (invalid) return rpcError(200, codes.params, invalid, undefined, id);
    // Nothing is told later: the lists never change while a token is what it is.
    if (method === 'subscriptions/listen') return rpcError(404, codes.method, 'Method not found', undefined, id);
    const name = method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined;
    const { tools, serve, versions } = await loaded();
    const version = request.headers.get('mcp-protocol-version') ?? versionIn(params);
    if (version !== undefined && !versions.includes(version)) {
      const data = { supported: versions, requested: shortened(version) };
      return rpcError(400, codes.version, `Unsupported protocol version: ${quoted(version)}.`, data, id);
    }
    if (name !== undefined && !tools.has(name)) {
      const names = tools.list(context).map((tool) => tool.name);
      const message = `Unknown tool: ${quoted(name)}. There are ${names.join(', ')}.`;
      return rpcError(200, codes.params, message, undefined, id);
    }
    context.record.operation = name ?? (methods.includes(method ?? '') ? String(method) : mcpPath);
    return serve({ body, request, context });
  }

  return {
    path: mcpPath,
    methods: ['POST'],
    surface: 'mcp',
    types: [jsonType, streamType],
    precondition: 'a change is bound to its preview by the confirmation',
    handle: async (request, context) => inAcceptedType(request, await handle(request, context)),
  };
}

const jsonType = 'application/json';
const streamType = 'text/event-stream';

/** A client that takes nothing but a stream gets one, of one message. */
function inAcceptedType({ headers }: RequestHead, response: HttpResponse): HttpResponse {
  const accepted = readAccept(headers.get('accept'));
  if (accepted.quality(jsonType) > 0 || accepted.quality(streamType) === 0 || typeof response.body !== 'string')
    return response;
  const body = `event: message\ndata: ${response.body}\n\n`;
  return { ...response, headers: { ...response.headers, 'Content-Type': streamType }, body };
}

/** What decides about a message before it is validated. What a client sends as null is taken out of it, as absent. */
function messageOf(body: unknown) {
  const message = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (message.params === null) delete message.params;
  const { method, id } = message;
  const params = typeof message.params === 'object' ? (message.params as Record<string, unknown>) : undefined;
  if (params?.cursor === null) delete params.cursor;
  if (params?.arguments === null) delete params.arguments;
  // Some clients say neither their name nor their version.
  if (method === 'initialize')
    message.params = { ...params, clientInfo: { ...unnamed, ...(params?.clientInfo as object) } };
  return {
    method: typeof method === 'string' ? method : undefined,
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    params,
  };
}

const unnamed = { name: 'unknown', version: 'unknown' };

/** What is wrong with the parameters of a call; undefined if nothing is. */
function invalidCall(params: Record<string, unknown> | undefined): string | undefined {
  const { name, arguments: given = {} } = params ?? {};
  if (typeof name !== 'string') return 'name: must be the name of a tool';
  if (typeof given !== 'object' || Array.isArray(given)) return 'arguments: must be an object';
  return Object.hasOwn(given as object, '__proto__') ? 'arguments.__proto__: is not a field' : undefined;
}

/** The version that a message itself says. */
function versionIn(params: Record<string, unknown> | undefined): string | undefined {
  const meta = params?._meta as Record<string, unknown> | null | undefined;
  const version = meta?.['io.modelcontextprotocol/protocolVersion'];
  return typeof version === 'string' ? version : undefined;
}

function rpcError(
  status: number,
  code: number,
  message: string,
  data?: unknown,
  id: string | number | null = null,
): HttpResponse {
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  return { status, headers: { 'Content-Type': 'application/json' }, body };
}

/** What is wrong with the names by which a browser was led here: another site can make its own resolve to this machine. */
function foreignNames(
  { url, headers }: RequestHead,
  { publicUrl, corsOrigins }: Pick<McpOptions, 'publicUrl' | 'corsOrigins'>,
): string | undefined {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  const isOwn = (hostname: string) => isLoopback(hostname) || hostname === own;
  const { hostname } = new URL(url);
  if (!isOwn(hostname))
    return `The Host ${quoted(hostname)} is not allowed. Only this machine and the host of PUBLIC_URL are.`;
  const origin = headers.get('origin');
  if (origin === null || corsOrigins.includes(origin) || corsOrigins.includes('*')) return undefined;
  if (URL.canParse(origin) && isOwn(new URL(origin).hostname)) return undefined;
  return `The Origin ${quoted(origin)} is not allowed. Only this machine, the host of PUBLIC_URL and CORS_ORIGINS are.`;
}
