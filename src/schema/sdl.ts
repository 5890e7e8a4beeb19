import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from './index.js';

/** The SDL as it is committed in schema.graphql. */
export const sdl = () => `${printSchema(lexicographicSortSchema(schema))}\n`;
