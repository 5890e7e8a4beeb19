import type { Server } from 'node:http';
import { type Config, inUrl } from '../config.js';
import { UsageError } from './usageError.js';

/** Listens on HOST and PORT, and returns the address. Throws a UsageError that names the setting to change. */
export function listen(server: Server, { host, port }: Config): Promise<string> {
  const problems: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what uses it, or set another PORT.`,
    EACCES: `This user may not listen on port ${port}. Set PORT to 1024 or higher.`,
    EADDRNOTAVAIL: `HOST=${host} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`,
    ENOTFOUND: `HOST=${host} cannot be resolved to an address. Set HOST to an address of this machine.`,
    EAI_AGAIN: `HOST=${host} cannot be resolved to an address. Set HOST to an address of this machine.`,
  };
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const problem = problems[error.code ?? ''];
      const unknown = `Cannot listen on ${host}, port ${port} (${error.message}). Check HOST and PORT.`;
      reject(new UsageError(problem ?? unknown));
    });
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve(`http://${inUrl(host)}:${bound}`);
    });
  });
}
