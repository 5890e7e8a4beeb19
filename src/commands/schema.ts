import { sdl } from '../schema/sdl.js';

/** The GraphQL schema as it is committed in schema.graphql. */
export const graphqlSchema = () => sdl();
