import type { JWTVerifyOptions } from 'jose'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { shown } from './provider-words.js'

const OF_ID_TOKENS = {
  option: 'id_token_signed_response_alg',
  list: 'id_token_signing_alg_values_supported',
} as const
/** By kind of token: the member of `client` that declares its algorithm, and the list of the metadata. */
export const ALGORITHMS = {
  'ID token': OF_ID_TOKENS,
  'logout token': OF_ID_TOKENS,
  'authorization response': {
    option: 'authorization_signed_response_alg',
    list: 'authorization_signing_alg_values_supported',
  },
} as const

/** The kinds of tokens whose signature is verified. */
export type TokenKind = keyof typeof ALGORITHMS

/**
 * What to add to the error when a token is refused: the value that came, the one that was expected, and the option that decides.
 * Empty where the error of `jose` says enough, and for values that must not be logged.
 *
 * @param error of `jose`
 */
export async function refusedValue(
  error: unknown,
  token: string,
  { algorithms, issuer }: JWTVerifyOptions,
  { kind, provider }: { readonly kind: TokenKind; readonly provider: ResolvedOAuthProvider },
): Promise<string> {
  const { errors, decodeProtectedHeader } = await import('jose')
  if (error instanceof errors.JOSEAlgNotAllowed) {
    const { alg } = decodeProtectedHeader(token)
    // Anybody can write it, where the token came through a browser or to the logout endpoint.
    const came = /^[A-Za-z0-9-]{1,20}$/.test(String(alg)) ? shown(alg) : 'another text'
    return differing(came, algorithms, `client.${ALGORITHMS[kind].option}`)
  }
  if (!(error instanceof errors.JWTClaimValidationFailed)) return ''
  const { claim, payload } = error
  if (claim === 'iss' && issuer !== undefined) return differing(shown(payload.iss), issuer, 'issuer')
  return claim === 'aud' ? differing(shown(payload.aud), provider.clientId, 'clientId') : ''
}

const differing = (came: string, expected: unknown, option: string) =>
  ` Received ${came}, expected ${shown(expected)} (option ${option}).`
