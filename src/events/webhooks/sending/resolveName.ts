import { lookup, Resolver } from 'node:dns/promises';

export type ResolveName = (name: string) => Promise<string[]>;

const milliseconds = 2_000;

/**
 * Resolves names without the threads of Node, of which it has four: names whose servers never respond would hold all of
 * them. Only names of this machine and, if local ranges are open, those that the DNS does not know are looked up as other
 * programs do.
 */
export function nameResolver({ withLocalNames }: { withLocalNames: boolean }): ResolveName {
  const resolver = new Resolver({ timeout: milliseconds, tries: 2 });
  return async (name) => {
    if (/(^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1'];
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length > 0 || !withLocalNames || !isUnknown(four)) return found;
    return (await lookup(name, { all: true })).map(({ address }) => address);
  };
}

const isUnknown = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' && ['ENOTFOUND', 'ENODATA'].includes(result.reason?.code);
