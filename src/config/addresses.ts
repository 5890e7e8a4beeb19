import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readServerUrls } from '../database/servers/serverUrls.js';
import { tlsProblem } from '../database/servers/tls/tlsProblem.js';
import { commaSeparated, setting } from './kinds.js';

export const host = setting({
  read: (text) => (isIP(text) || /^[\w.-]+$/.test(text) ? text : undefined),
  allowed: 'an IP address or a host name alone, without http:// and port',
  example: '0.0.0.0',
});

export const webAddress = (example: string) =>
  setting({
    read: (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined),
    allowed: 'an http:// or https:// address',
    example,
  });

/** An example of a URL for an encrypted connection. */
export const tlsExample =
  'postgresql://goalpost:password@db.example.com:5432/goalpost?sslmode=verify-full&sslrootcert=/etc/goalpost/ca.pem';
const tls = {
  // All servers of a URL have the same parameters.
  of: (text: string) => tlsProblem(readServerUrls(text)?.urls[0] ?? ''),
  example: tlsExample,
};

function readDatabaseUrls(text: string): string[] | undefined {
  const urls = readServerUrls(text)?.urls;
  return urls?.every((url) => new URL(url).pathname.length > 1) ? urls : undefined;
}

const databaseUrls = (servers: string) =>
  `postgresql://user:password@host:port/database, or with host:port,host:port for several ${servers}; in a password, write %40 for @, %2F for / and %25 for %`;

export const database = setting({
  read: (text) => readDatabaseUrls(text) && text,
  allowed: databaseUrls('servers'),
  example: 'postgresql://goalpost:password@localhost:5432/goalpost',
  problem: tls,
});

export const replicas = setting({
  read: (text) => (text.includes('target_session_attrs') ? undefined : readDatabaseUrls(text)),
  allowed: databaseUrls('replicas'),
  example: 'postgresql://goalpost:password@replica-1:5432,replica-2:5432/goalpost',
  problem: tls,
});

const isOrigin = (text: string) => /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

export const origins = commaSeparated((text) => text === '*' || isOrigin(text), {
  allowed: 'a list of origins, each without a path, or *',
  example: 'https://app.example.com,http://localhost:3000',
});

export const addressRanges = commaSeparated((text) => ipaddr.isValidCIDR(text), {
  allowed: 'a list of address ranges in CIDR notation',
  example: '10.0.0.0/8,fd00::/8',
});
