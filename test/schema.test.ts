import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineBindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../src/schema/index.js';
import { createWorld } from './world.js';

const world = await createWorld();

describe('the GraphQL schema', () => {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const described = types.flatMap((type): [string, string | null | undefined][] => {
    const own: [string, string | null | undefined] = [type.name, type.description];
    if (isEnumType(type))
      return [
        own,
        ...type
          .getValues()
          .map(({ name, description }): [string, typeof description] => [`${type.name}.${name}`, description]),
      ];
    if (isInputObjectType(type))
      return [
        own,
        ...Object.values(type.getFields()).map(({ name, description }): [string, typeof description] => [
          `${type.name}.${name}`,
          description,
        ]),
      ];
    if (!isObjectType(type) && !isInterfaceType(type)) return [own];
    const fields = Object.values(type.getFields()).flatMap(
      ({ name, description, args }): [string, typeof description][] => [
        [`${type.name}.${name}`, description],
        ...args.map((argument): [string, typeof description] => [
          `${type.name}.${name}(${argument.name})`,
          argument.description,
        ]),
      ],
    );
    return [own, ...fields];
  });

  test('says of every type, field, argument and value what it is', () => {
    expect(described.length).toBeGreaterThan(250);
    expect(described.filter(([, description]) => !description || !/^[A-Z0-9`].*[.!?]$/s.test(description))).toEqual([]);
  });

  test('has nothing nullable in a list, and no list that is null', () => {
    const outputs = types
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields()).map(({ name, type: kind }) => `${type.name}.${name}: ${kind}`),
      );
    expect(outputs.filter((field) => /\]$|[^!]\]/.test(field))).toEqual([]);
  });
});

describe('the Prisma schema', () => {
  test('is what the migrations make: no drift', async () => {
    const content = await readFile(new URL('../prisma/schema.prisma', import.meta.url), 'utf8');
    const { stdout, exitCode } = await (await engine(content)).diff({
      from: { tag: 'schemaDatasource', files: [{ path: 'schema.prisma', content }], configDir: '.' },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
      script: true,
      exitCode: true,
      filters: { externalTables: ['public._prisma_migrations'], externalEnums: [] },
    });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 });
  });
});

/** Prisma's schema engine, compiled to WebAssembly, on the migrated database of this test; it only reads. */
async function engine(content: string) {
  const path = createRequire(import.meta.url)
    .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    .replace(/\.js$/, '.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(path), { './schema_engine_bg.js': engineBindings });
  engineBindings.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
  const { hostname, port, username, password, pathname } = new URL(world.url);
  // Never a connectionString: the adapter would take the database itself for a shadow that may be emptied.
  const connection = {
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    max: 1,
  };
  const adapter = new PrismaPg(connection, { schema: 'public' });
  return engineBindings.SchemaEngine.new(
    { datamodels: [['schema.prisma', content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
}
