/** A path of the REST facade and the GraphQL mutation it stands for: one root field with one argument, `input`. */
export interface StoredMutation {
  path: string;
  document: string;
}
