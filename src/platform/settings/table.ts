import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

/** What the URL of a database says, for `pg`; TLS as libpq means it, without `PGSSLMODE`. Throws for unreadable files. */
export const connectionOf = (url: string): ClientConfig => ({
  ssl: false,
  ...toClientConfig(parse(url, { useLibpqCompat: !url.includes('uselibpqcompat=') })),
});

/** Whether it is the URL of one server with a database. A `/` of a password that is not escaped would end the host. */
function isDatabaseUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\/(?:[^@/?#]*@)?[^@/?#,]*(?:\/[^@?#]*)?(?:\?[^#]*)?$/.test(text) || !URL.canParse(text))
    return false;
  return new URL(text).pathname.length > 1;
}

/** With others, `pg` may send everything unencrypted. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Whether a connection would be less safe than a parameter asks: it means nothing to the driver. */
const asksForMore = (name: string, value: string) =>
  /^(sslcrl|sslcrldir|ssl_min_protocol_version|require_auth|requirepeer)$/.test(name) ||
  (/^(channel_binding|gssencmode|sslcertmode)$/.test(name) && value === 'require');

/** The parameters of a URL that mean something here. */
const used =
  /^(ssl(mode|rootcert|cert|key|negotiation)|uselibpqcompat|application_name|fallback_application_name|options|client_encoding|host|port|user|password|(statement|lock|query|idle_in_transaction_session)_timeout)$/;

/** Which parameters of a URL other programs may use, and nothing here does; undefined if there are none. */
export function unusedParameters(url: string | undefined): string | undefined {
  const names = url === undefined ? [] : [...new URL(url).searchParams.keys()].filter((name) => !used.test(name));
  const schema = names.includes('schema') ? '; the tables are in the schema public' : '';
  return names.length > 0 ? `DATABASE_URL has ${names.join(', ')}, which nothing here uses${schema}` : undefined;
}

/** Why no connection can be made as the URL says; undefined if one can. */
function connectionProblem(url: string): string | undefined {
  const { searchParams } = new URL(url);
  if (searchParams.has('ssl') || searchParams.getAll('sslmode').some((mode) => !modes.includes(mode)))
    return `has ssl, or an sslmode that is not one of ${modes.join(', ')}`;
  const unsafe = [...searchParams].find(([name, value]) => asksForMore(name, value));
  if (unsafe) return `asks with ${unsafe.join('=')} for more safety than this program gives: leave it out`;
  try {
    const { ssl } = connectionOf(url);
    if (typeof ssl === 'object') createSecureContext(ssl);
    return undefined;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
}

/** What a setting accepts. */
export interface Kind<T> {
  /** The value of a text; undefined if the text is not accepted. */
  read(text: string): T | undefined;
  /** What is accepted, after the words "must be". */
  allowed: string;
  /** The default of the setting if omitted. */
  example?: string;
  /** Why what was read cannot be used after all: "cannot be used: …"; undefined if it can. */
  problem?: { of(text: string): string | undefined; example: string };
}

export const anyText: Kind<string> = { read: (text) => text, allowed: 'more than spaces' };

/** A number, within bounds, `times` which is what the code gets. */
const number = (pattern: RegExp, kind: string, minimum: number, maximum: number, times = 1): Kind<number> => ({
  read: (text) => {
    const value = Number(text);
    return pattern.test(text) && value >= minimum && value <= maximum ? value * times : undefined;
  },
  allowed: `${kind} from ${minimum} to ${maximum}`,
});
/** A whole number, within bounds. */
export const whole = (minimum: number, maximum: number) => number(/^\d{1,15}$/, 'a whole number', minimum, maximum);

/** A number with decimals, within bounds, in other units than the code has. */
export const decimal = (minimum: number, maximum: number, { times }: { times: number }) =>
  number(/^\d{1,15}(\.\d+)?$/, 'a number', minimum, maximum, times);

export const oneOf = <const Name extends string>(names: readonly [Name, ...Name[]]): Kind<Name> => ({
  read: (text) => names.find((name) => name === text),
  allowed: `one of ${names.join(', ')}`,
  example: names[0],
});

export const onOff: Kind<boolean> = {
  read: (text) => (text === 'on' || text === 'off' ? text === 'on' : undefined),
  allowed: 'on or off',
  example: 'on',
};

/** Up to `most` items with commas between them; none in an empty text. */
export const commaSeparated = (
  isItem: (text: string) => boolean,
  { most = Number.POSITIVE_INFINITY, ...rule }: { most?: number; allowed: string; example: string },
): Kind<readonly string[]> => ({
  ...rule,
  read: (text) => {
    const items = text === '' ? [] : text.split(',').map((item) => item.trim());
    return items.length <= most && items.every(isItem) ? items : undefined;
  },
});

export const host: Kind<string> = {
  read: (text) => (isIP(text) || /^[\w.-]+$/.test(text) ? text : undefined),
  allowed: 'an IP address or a host name alone, without http:// and port',
  example: '0.0.0.0',
};

export const webAddress = (example: string): Kind<string> => ({
  read: (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined),
  allowed: 'an http:// or https:// address',
  example,
});

export const tlsExample =
  'postgresql://goalpost:password@db.example.com:5432/goalpost?sslmode=verify-full&sslrootcert=/etc/goalpost/ca.pem';
export const database: Kind<string> = {
  read: (text) => (isDatabaseUrl(text) ? text : undefined),
  allowed:
    'postgresql://user:password@host:port/database with one host, in front of several servers that of HAProxy or the address that Patroni gives the primary; in a password, write %40 for @, %2F for /, %23 for #, %3F for ? and %25 for %',
  example: 'postgresql://goalpost:password@localhost:5432/goalpost',
  problem: { of: connectionProblem, example: tlsExample },
};

/** Also those of extensions and apps, such as `capacitor://localhost`, of which the URL standard says that they are none. */
const isOrigin = (text: string) =>
  URL.canParse(text) &&
  (/^https?:/.test(text)
    ? new URL(text).origin === text && !text.includes('*')
    : /^[a-z][a-z\d+.-]*:\/\/[\w.:-]+$/.test(text));

export const origins = commaSeparated((text) => text === '*' || isOrigin(text), {
  allowed: 'a list of origins, each without a path, or *',
  example: 'https://app.example.com,http://localhost:3000',
});

/** Ranges of addresses in CIDR notation. */
export const addressRanges = commaSeparated((text) => ipaddr.isValidCIDR(text), {
  allowed: 'a list of address ranges in CIDR notation',
  example: '10.0.0.0/8,fd00::/8',
});

/** Nobody can open the wildcard address: what to open on this machine instead. */
const wildcards: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where to open what listens there: `http://127.0.0.1:4000`. */
export function addressOf(host: string, port: number): string {
  const name = wildcards[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** One setting: everything that is said of it anywhere. */
export interface Setting extends Kind<unknown> {
  variable: string;
  /** What counts if it is not set, as somebody would write it. */
  default?: string;
  /** In place of a default: what happens then, for the documents. */
  otherwise?: string;
  /** What it is for, in Markdown. */
  meaning: string;
}

/** Settings by the names that they have in the code; those of one part may be together under its name. */
export interface Table {
  readonly [name: string]: Setting | Table;
}

/** What the settings of a table are read into. */
export type Values<T> = {
  [Name in keyof T]: T[Name] extends { read(text: string): infer Value }
    ? NonNullable<Value> | (T[Name] extends { default: string } ? never : undefined)
    : Values<T[Name]>;
};

const isSetting = (entry: Setting | Table): entry is Setting => typeof entry.variable === 'string';

export const settingsOf = (table: Table): Setting[] =>
  Object.values(table).flatMap((entry) => (isSetting(entry) ? [entry] : settingsOf(entry)));

/** A setting that cannot be used: why, and what would be accepted. */
export interface SettingProblem {
  variable: string;
  text: string;
  example: string | undefined;
}

/** Reads the settings of a table. The values are whole if there are no problems. */
export function readTable<T extends Table>(
  table: T,
  given: NodeJS.ProcessEnv,
): { values: Values<T>; problems: SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const valueFor = (setting: Setting): unknown => {
    const { variable, read, allowed, problem } = setting;
    const text = given[variable]?.trim() ?? setting.default;
    if (text === undefined) return undefined;
    // Only the default of a list is an empty text.
    const value = text === '' && variable in given ? undefined : read(text);
    const found = value === undefined ? undefined : problem?.of(text);
    if (value !== undefined && found === undefined) return value;
    const example = found && problem ? problem.example : (setting.example ?? setting.default);
    problems.push({ variable, text: found ?? `must be ${allowed}`, example });
    return undefined;
  };
  const valuesOf = (part: Table): object =>
    Object.fromEntries(
      Object.entries(part).map(([name, entry]) => [name, isSetting(entry) ? valueFor(entry) : valuesOf(entry)]),
    );
  return { values: valuesOf(table) as Values<T>, problems };
}
