import type { CompactJWEHeaderParameters } from 'jose'
import { CONTENT_ENCRYPTIONS } from '../providers/client-security.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { clientKeyId, importPrivateKey } from './client-keys.js'
import { ProviderFault } from './faults.js'

/** The most characters of an encrypted token. The decryption of more would be work for whoever sends it. */
const MAX_LENGTH = 256 * 1024
const USUAL_CONTENT_ENCRYPTION = 'A128CBC-HS256'

/** What may be encrypted, by the beginning of its members in the client metadata, and what messages call it. */
const WORDS = { id_token: 'ID token', userinfo: 'userinfo answer', authorization: 'authorization response' }

/**
 * The signed token in an encrypted one; a signed one as it is, unless encryption is registered. It is not verified yet.
 *
 * @throws {ProviderFault} when it cannot be decrypted, or is not encrypted though encryption is registered (OpenID Connect
 *   Core 1.0 §3.1.3.7): else whoever can change the answer could leave out the encryption
 */
export async function decryptToken(
  provider: ResolvedOAuthProvider,
  token: string,
  kind: keyof typeof WORDS,
): Promise<string> {
  const what = WORDS[kind]
  const { [`${kind}_encrypted_response_alg` as const]: alg, [`${kind}_encrypted_response_enc` as const]: enc } =
    provider.client
  const refuse = (why: string) => new ProviderFault(`Provider "${provider.id}": its ${what} is refused: ${why}.`)
  if (token.split('.').length !== 5) {
    if (alg === undefined) return token
    throw refuse('it is not encrypted, though encryption is configured')
  }
  const { decryption } = provider.keys
  if (decryption.length === 0) throw refuse('it is encrypted, and there is no key. Set decryptionKeys')
  if (token.length > MAX_LENGTH) throw refuse('it is too long')
  const { compactDecrypt, decodeProtectedHeader } = await import('jose')
  const contentEncryptionAlgorithms = alg === undefined ? CONTENT_ENCRYPTIONS : [enc ?? USUAL_CONTENT_ENCRYPTION]
  let header: CompactJWEHeaderParameters
  try {
    header = decodeProtectedHeader(token) as CompactJWEHeaderParameters
  } catch {
    throw refuse('its header cannot be read')
  }
  for (const key of decryption) {
    if (key.alg !== header.alg && !isKeyAgreement(key.alg, header.alg)) continue
    if (alg !== undefined && header.alg !== alg) continue
    if (header.kid !== undefined && header.kid !== (await clientKeyId(key)) && decryption.length > 1) continue
    try {
      const { plaintext } = await compactDecrypt(token, await importPrivateKey(key), {
        keyManagementAlgorithms: [header.alg],
        contentEncryptionAlgorithms,
      })
      return new TextDecoder().decode(plaintext)
    } catch {
      // Another key may fit. Which step failed is told to nobody.
    }
  }
  throw refuse('it cannot be decrypted with the configured keys and algorithms')
}

/** A key for key agreement serves all algorithms of its family, unless the configuration names one. */
const isKeyAgreement = (own: string, used: string): boolean => own.startsWith('ECDH-ES') && used.startsWith('ECDH-ES')
