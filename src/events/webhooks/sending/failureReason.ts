import { ForbiddenAddress } from './agents.js';

const longest = 200;

const ofNode: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'there was no connection in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  HPE_HEADER_OVERFLOW: 'the headers of the response are too long',
};

/** Why there was no response, for the owner of the webhook to read. */
export function failureReason(error: unknown, stopped: AbortSignal | undefined): string {
  if (stopped?.aborted) return 'the gateway stopped before a response came';
  if (error instanceof ForbiddenAddress) return error.message.slice(0, longest);
  const { code = '', message, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  if (message === '' && errors?.[0]) return failureReason(errors[0], stopped);
  const known = ofNode[code];
  if (known) return known;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  const isCertificate = /CERT|SIGNED|ALTNAME|TLS|SSL|EPROTO/.test(code);
  return `${isCertificate ? 'TLS: ' : ''}${message || code || 'unknown'}`.slice(0, longest).toWellFormed();
}
