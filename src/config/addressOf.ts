/** Nobody can open the wildcard address: what to open on this machine instead. */
const wildcards: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where to open what listens there: `http://127.0.0.1:4000`. */
export function addressOf(host: string, port: number): string {
  const name = wildcards[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
