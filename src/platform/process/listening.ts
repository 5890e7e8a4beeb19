import type { Server } from 'node:http';
import { addressOf, ConfigError } from '../settings/index.js';

/** Somebody listens there already, who may stop: unlike a setting that cannot be used, it is worth another try. */
export class AddressTaken extends Error {}

interface Address {
  host: string;
  port: number;
}

/** Connections that the kernel keeps until the process takes them. With too few, clients of a burst try again after seconds. */
const backlog = 4096;

/** Listens, and returns the address. Throws a ConfigError, or an AddressTaken, that names the setting to change. */
export function listen(server: Server, { host, port }: Address, portSetting = 'PORT'): Promise<string> {
  const unresolved = `HOST=${host} cannot be resolved to an address. Set HOST to an address of this machine. Example: HOST=127.0.0.1`;
  const problems: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what uses it, or set another ${portSetting}. Example: ${portSetting}=${port < 65_535 ? port + 1 : 4000}`,
    EACCES: `This user may not listen on port ${port}. Set ${portSetting} to 1024 or higher.`,
    EADDRNOTAVAIL: `HOST=${host} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`,
    ENOTFOUND: unresolved,
    EAI_AGAIN: unresolved,
  };
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const problem = problems[error.code ?? ''];
      const unknown = `Cannot listen on ${host}, port ${port} (${error.message}). Check HOST and ${portSetting}.`;
      const Kind = error.code === 'EADDRINUSE' ? AddressTaken : ConfigError;
      reject(new Kind(problem ?? unknown));
    });
    server.listen({ port, host, backlog }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve(addressOf(host, bound));
    });
  });
}
