// A Prisma generator: writes what the reader (src/platform/postgres/reader) knows of the models, from Prisma's own datamodel,
// and a getter for each.
import { writeFile } from 'node:fs/promises';
import helper from '@prisma/generator-helper';

helper.generatorHandler({
  onManifest: () => ({ prettyName: 'Models of the reader', defaultOutput: 'models.ts' }),
  async onGenerate({ dmmf: { datamodel }, generator }) {
    const models = Object.fromEntries(datamodel.models.map((model) => [model.name, modelOf(datamodel, model)]));
    // Those of a company, and the company itself.
    const asked = Object.keys(models).filter((name) => name === 'Company' || models[name].columns.companyId);
    const getters = asked.map(
      (name) => `  get ${name.charAt(0).toLowerCase()}${name.slice(1)}() {
    return this.model('${name}');
  }
`,
    );
    const text = `import { DatabaseHandle, type Models } from '../platform/postgres/index.js';

export const models: Models = ${JSON.stringify(models, null, 2)};

export class ModelHandle extends DatabaseHandle {
${getters.join('')}}
`;
    await writeFile(generator.output.value, text);
  },
});

function modelOf(datamodel, { name, dbName, fields, primaryKey, uniqueIndexes }) {
  const id = fields.find(({ isId }) => isId);
  const keys = [primaryKey ?? (id && { fields: [id.name] }), ...uniqueIndexes].filter(Boolean);
  const scalars = fields.filter(({ kind }) => kind !== 'object');
  const relations = fields.filter(({ kind }) => kind === 'object');
  return {
    table: dbName ?? name,
    key: keys[0]?.fields ?? [],
    uniques: Object.fromEntries(keys.map((key) => [key.name ?? key.fields.join('_'), key.fields])),
    columns: Object.fromEntries(scalars.map((field) => [field.name, columnOf(datamodel, field)])),
    relations: Object.fromEntries(relations.map((field) => [field.name, relationOf(datamodel, name, field)])),
  };
}

function columnOf({ enums }, { name, dbName, kind, type, isList, isRequired, documentation }) {
  const values = kind === 'enum' ? enums.find((candidate) => candidate.name === type).values : [];
  const isPlain = !isList && values.every((value) => (value.dbName ?? value.name) === value.name);
  return {
    name: dbName ?? name,
    type: isPlain ? (kind === 'enum' ? 'Enum' : type) : 'Other',
    isNullable: !isRequired,
    ...(kind === 'enum' && { values: values.map((value) => value.name) }),
    ...(documentation && { about: documentation }),
  };
}

/** Prisma says on one side of a relation which fields it joins. */
function relationOf(datamodel, owner, field) {
  const { name, type, isList, relationName, relationFromFields, relationToFields } = field;
  const relation = { model: type, isList, isNullable: !isList && !field.isRequired };
  const { fields } = datamodel.models.find((model) => model.name === type);
  if (relationFromFields.length > 0) {
    return { ...relation, on: relationFromFields.map((from, index) => [from, relationToFields[index]]) };
  }
  const other = fields.find(
    (there) => there.relationName === relationName && there.type === owner && !(type === owner && there.name === name),
  );
  return { ...relation, on: other.relationToFields.map((to, index) => [to, other.relationFromFields[index]]) };
}
