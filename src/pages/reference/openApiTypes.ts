/** The parts of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  const?: string | number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Described {
  description: string;
}

export interface Operation extends Described {
  operationId: string;
  deprecated?: boolean;
  requestBody: { content: Record<string, Content> };
  responses: Record<string, Described & { content: Record<string, Content> }>;
}

/** The parts of the OpenAPI document that its page shows. */
export interface OpenApi {
  info: Described & { version: string };
  paths: Record<string, { post: Operation }>;
  components: {
    parameters: Record<string, Described & { name: string }>;
    headers: Record<string, Described>;
    schemas: Record<string, Schema>;
  };
}
