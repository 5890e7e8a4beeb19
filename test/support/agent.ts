import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Client } from './client.js';
import type { Answer, Json } from './world.js';

const version = '2026-07-28';

/** What every message of the protocol says of its client. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What the headers of a request of the newest version repeat of it. */
const headersOf = (method: string, name?: string): Record<string, string> => ({
  'MCP-Protocol-Version': version,
  'Mcp-Method': method,
  ...(name && { 'Mcp-Name': name }),
});

const ajv = new Ajv2020({ allowUnionTypes: true });
const validators = new Map<string, ValidateFunction>();

/** Compiles each schema once: that takes longer than the call. */
function validatorOf(schema: Json): ValidateFunction {
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(schema);
  validators.set(key, validate);
  return validate;
}

/** An agent: it sends messages of the protocol to `/mcp`, each by itself. */
export class Agent {
  #schemas: Promise<Record<string, Json>> | undefined;

  constructor(
    readonly client: Client,
    readonly token: string | null,
  ) {}

  /** Sends a message as it is. */
  message(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.client.post('/mcp', this.token, body, headers);
  }

  /** Sends a request of the newest version. */
  async request(method: string, params: Json = {}): Promise<Answer> {
    return this.message(
      { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } },
      headersOf(method, params.name),
    );
  }

  /** The tools that it sees, by name. */
  async tools(): Promise<Record<string, Json>> {
    const { body } = await this.request('tools/list');
    return Object.fromEntries(body.result.tools.map((tool: Json) => [tool.name, tool]));
  }

  /** Calls a tool, and returns its result, which is valid against the schema of the tool, as clients check. */
  async call(name: string, given: Json = {}): Promise<Json> {
    const { status, body } = await this.request('tools/call', { name, arguments: given });
    expect(status, JSON.stringify(body)).toBe(200);
    this.#schemas ??= this.tools();
    const schema = (await this.#schemas)[name]?.outputSchema;
    const validate = schema && validatorOf(schema);
    const isValid = !validate || validate(body.result.structuredContent);
    expect(isValid, `${name}: ${ajv.errorsText(validate?.errors)}`).toBe(true);
    return body.result;
  }

  /** Calls a tool that must succeed, and returns its data. */
  async data(name: string, given: Json = {}): Promise<Json> {
    const result = await this.call(name, given);
    expect(result.isError, JSON.stringify(result)).toBeUndefined();
    return result.structuredContent;
  }

  /** Calls a tool that must fail, and returns what it says. */
  async failure(name: string, given: Json = {}): Promise<Json> {
    const result = await this.call(name, given);
    expect(result.isError, JSON.stringify(result)).toBe(true);
    return result.structuredContent;
  }

  /** Previews a change and returns what its tool takes: the arguments and the confirmation. */
  async confirmed(operation: string, input: Json): Promise<Json> {
    const { arguments: given, confirmation } = await this.data('preview_change', { [operation]: input });
    return { ...given, confirmation };
  }
}
