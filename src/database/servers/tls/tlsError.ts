import { DatabaseError } from '../../error.js';
import { parametersOf } from './parameters.js';

/** No connection that the URL allows can be made to the server. */
export class TlsError extends DatabaseError {
  /** SQLSTATE sqlclient_unable_to_establish_sqlconnection. */
  readonly code = '08001';
}

/** What Node and the server say of a connection. */
interface Failure {
  message: string;
  code?: string;
  /** Of OpenSSL, without its numbers. */
  reason?: string;
  /** If the name of the server is not in its certificate. */
  host?: string;
  cert?: { subjectaltname?: string };
}

const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What OpenSSL and Node say of certificates and handshakes, and what `pg` says if the server answers with neither. */
const tlsCodes = /^(ERR_(SSL|TLS)_|CERT_|CRL_|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)/;
const notAgreed = 'There was an error establishing an SSL connection';

/** The error of a connection; if TLS is the reason, one that says what to set in the URL. */
export function explained(error: Error, url: string): Error {
  const text = explanation(error, parametersOf(url));
  return text === undefined ? error : new TlsError(text, { cause: error });
}

function explanation(failure: Failure, { sslmode = 'disable', sslrootcert, sslcert }: ReturnType<typeof parametersOf>) {
  const { message, code = '', reason = message, host, cert } = failure;
  if (unknownAuthority.has(code))
    return sslrootcert && sslrootcert !== 'system'
      ? `the certificate of the server is not from the authority in sslrootcert (${message}). Set sslrootcert to the file of the right one`
      : `the certificate of the server is from no authority that is known here (${message}). Set sslrootcert to the file of its authority`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of the server is not for ${host}, but for ${cert?.subjectaltname || 'no name'}. Connect by a name that it is for, or set sslmode=verify-ca, which does not look at the name`;
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate of the server has expired. Have the server use a new one';
  if (message === 'The server does not support SSL connections')
    return 'the server offers no TLS. Switch it on there (ssl = on), or set sslmode=disable to send everything unencrypted';
  if (sslmode === 'disable' && /no encryption$|SSL required/.test(message))
    return `${message}. If the server takes only encrypted connections, add sslmode=verify-full and sslrootcert to the URL`;
  if (/valid client certificate|certificate authentication failed|alert.*(certificate|unknown ca)/.test(reason))
    return sslcert
      ? `the server does not accept the certificate in sslcert (${reason}). Set sslcert and sslkey to the files of one that it accepts for this role`
      : `the server wants a certificate of the client (${reason}). Set sslcert and sslkey to the files of one that it accepts for this role`;
  return tlsCodes.test(code) || message === notAgreed ? `TLS cannot be agreed with the server (${reason})` : undefined;
}
