import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { isConflict, isUnavailable } from '../../src/platform/postgres/errors.js';

const state = (originalCode: string) => ({ code: 'P2010', meta: { driverAdapterError: { cause: { originalCode } } } });

const failing = (code: string) => Object.assign(new Error('no connection'), { code });

test.each([
  ['a command whose connection is refused', { code: 'P1001' }],
  ['a certificate that is not valid yet', failing('CERT_NOT_YET_VALID')],
  ['a server that speaks of no TLS', new Error('There was an error establishing an SSL connection')],
  ['a full disk', state('53100')],
  ['an error of the disk', state('58030')],
  ['a server that shuts down', { code: '57P01' }],
  ['a statement that was canceled', state('57014')],
  ['a lock that was not granted in time', state('55P03')],
  ['a standby', state('25006')],
  ['a refusal of PgBouncer', state('08P01')],
  ['a transaction that found no connection in time', { code: 'P2028' }],
  ['a conflict that repeating did not solve', state('40001')],
  ['a connection that was reset', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
  ['addresses that all refuse', new AggregateError([{ code: 'ECONNREFUSED' }])],
  ['a connection that ended', new Error('Connection terminated unexpectedly')],
  ['a node that Citus lost', new Error('failure on connection marked as essential: 10.0.0.1:5432')],
  ['what GraphQL wraps', new GraphQLError('x', { originalError: new Error('Query read timeout') })],
  ['a cause of a cause', new Error('x', { cause: new Error('y', { cause: { code: '57P03' } }) })],
])('%s is a database that is unavailable', (_, error) => {
  expect(isUnavailable(error)).toBe(true);
});

test.each([
  ['a unique value that exists', state('23505')],
  ['a mistake in the SQL', state('42601')],
  ['a table that is missing', state('42P01')],
  ['a file that is missing', { code: 'ENOENT', syscall: 'open' }],
  ['nothing', undefined],
])('%s is not', (_, error) => {
  expect(isUnavailable(error)).toBe(false);
});

test('a conflict is a serialization failure or a deadlock', () => {
  const states = ['40001', '40P01', '40002', '57014'];
  expect(states.map((code) => isConflict(state(code)))).toEqual([true, true, false, false]);
});
