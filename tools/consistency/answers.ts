import { type Attempt, type History, isDecided, type Mutation } from './history.js';

const expected = new Set([0, 200, 401, 404, 409, 503]);

/** What is wrong with the answers alone, whatever the database holds. */
export function answersOf({ mutations, written }: History, slowest: number): string[] {
  const revocations = written.filter(({ kind }) => kind === 'revoke');
  return mutations.flatMap((mutation) => [
    ...mutation.attempts.flatMap((attempt) => problemsOf(attempt, slowest).map((what) => say(mutation, attempt, what))),
    ...revocationProblems(mutation, revocations),
    ...(mutation.key ? retryProblems(mutation) : []),
  ]);
}

function problemsOf({ status, sent, answered, text }: Attempt, slowest: number): string[] {
  return [
    ...(expected.has(status) ? [] : [`has an unexpected answer: ${text}`]),
    ...(answered - sent > slowest ? [`took ${Math.round(answered - sent)} ms`] : []),
  ];
}

/** From its revocation on, a token gets 401, and not before. */
function revocationProblems(mutation: Mutation, revocations: History['written']): string[] {
  const revocation = revocations.find(({ id }) => id === mutation.tokenId);
  return mutation.attempts.flatMap((attempt) => {
    const { status, sent, answered } = attempt;
    if (status === 401) {
      const early = !revocation || revocation.sent > answered;
      return early ? [say(mutation, attempt, 'refuses a valid token')] : [];
    }
    const late = revocation?.done && sent > revocation.answered && status !== 0 && status !== 503;
    return late ? [say(mutation, attempt, 'accepts a revoked token')] : [];
  });
}

/** All retries of a key get the same answer in the end, and only the first of them is not a replay. */
function retryProblems(mutation: Mutation): string[] {
  const decided = mutation.attempts.filter(isDecided);
  const [first] = decided;
  if (!first) {
    const gone = mutation.attempts.some(({ status }) => status === 401);
    return gone || mutation.attempts.length < 2 ? [] : [`${describe(mutation)} never gets an answer`];
  }
  const others = decided.filter(({ status, text }) => status !== first.status || text !== first.text);
  const originals = decided.filter(({ replayed }) => !replayed);
  return [
    ...others.map((other) => say(mutation, other, `differs from its first answer: ${first.text} / ${other.text}`)),
    ...(originals.length > 1 ? [`${describe(mutation)} was done ${originals.length} times`] : []),
  ];
}

const say = (mutation: Mutation, { status }: Attempt, what: string) => `${describe(mutation)}: ${status} ${what}`;

export const describe = ({ personId, surface, key, changes, attempts }: Mutation) =>
  `${surface} ${JSON.stringify(changes)} of ${personId}${key ? ` with key ${key}` : ''} (${attempts.map(({ status }) => status).join(', ')})`;
