/** What the codes of the system and of Node mean for a call to another server. The first that matches counts. */
const MEANINGS: readonly (readonly [codes: RegExp, meaning: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^ENOTFOUND$/, 'no such host is known'],
  [/^EAI_AGAIN$/, 'the name server gave no answer'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'no connection in time; a firewall may be between'],
  [/^(ENETUNREACH|EHOSTUNREACH)$/, 'there is no way to that network'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired, or the clock of this machine is wrong'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet, or the clock of this machine is wrong'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*)$/,
    'Node does not know who signed its certificate: set NODE_EXTRA_CA_CERTS',
  ],
]

/**
 * A code with its meaning: `ECONNREFUSED: nothing listens there`. Only the code if its meaning is not known.
 *
 * @param code of a failed connection, from Node, OpenSSL or undici
 */
export function explainSystemCode(code: string): string {
  const [, meaning] = MEANINGS.find(([codes]) => codes.test(code)) ?? []
  return meaning === undefined ? code : `${code}: ${meaning}`
}
