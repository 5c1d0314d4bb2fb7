import type { Finding } from '../kernel/finding.js'
import type { OAuthMembers } from './check-oauth-provider.js'
import { type ClientKey, type KeyReading, readClientKey, UnusableKey } from './client-keys.js'
import type { ClientPrivateKey, ProviderKeys, ResolvedProvider } from './provider.js'

/** The keys of a provider, and what is wrong with them. */
interface ResolvedKeys {
  readonly keys: ProviderKeys
  /** Whether authorization requests are signed even if the provider does not require it. */
  readonly signsRequests: boolean
  readonly findings: readonly Finding[]
}

/** Reads all keys that the application has for a provider, and checks them without a use of any. */
export function resolveClientKeys(merged: OAuthMembers): ResolvedKeys {
  const { id, client = {}, token, requestObjects = false, decryptionKeys, dpop } = merged
  const findings: Finding[] = []
  const refuse = (why: string) => findings.push({ type: 'InvalidProvider', message: `Provider "${id}": ${why}.` })
  const readAll = (option: string, given: readonly ClientPrivateKey[], reading: KeyReading): ClientKey[] =>
    given.flatMap((each, index) => {
      try {
        return [readClientKey(each, reading)]
      } catch (error) {
        if (!(error instanceof UnusableKey)) throw error
        refuse(`${given.length > 1 ? `${option}[${index}]` : option} ${error.message}`)
        return []
      }
    })

  const assertion = readAll('token.clientPrivateKey', listed(token?.clientPrivateKey), {
    use: 'sig',
    algorithm: client.token_endpoint_auth_signing_alg,
  })
  const ownSigningKey = typeof requestObjects === 'object' ? requestObjects.signingKey : undefined
  const [requestObject = null] = ownSigningKey
    ? readAll('requestObjects.signingKey', [ownSigningKey], {
        use: 'sig',
        algorithm: client.request_object_signing_alg,
      })
    : assertion
  const decryption = readAll('decryptionKeys', listed(decryptionKeys), {
    use: 'enc',
    algorithm:
      client.id_token_encrypted_response_alg ??
      client.userinfo_encrypted_response_alg ??
      client.authorization_encrypted_response_alg,
  })
  const [bound = null] = readAll('dpop.key', listed(dpop?.key), { use: 'sig', algorithm: undefined })

  const signing = ownSigningKey && requestObject ? [...assertion, requestObject] : assertion
  for (const keys of [signing, decryption]) {
    const ids = keys.map(({ kid }) => kid).filter((kid) => kid !== undefined)
    if (new Set(ids).size < ids.length) refuse('two keys have the same kid, so the provider cannot tell them apart')
    if (keys.length > 1 && keys.some(({ kid, publicKey }) => kid === undefined && publicKey === null))
      refuse('one of several keys has no kid and cannot be exported. Write { key, kid }')
  }
  if (dpop && !dpop.key) refuse('dpop has no key. Set dpop: { key } to a private key as a JWK, or to a CryptoKeyPair')
  if (bound && !bound.publicKey)
    refuse('dpop.key cannot be exported, and every request shows its public key. Give a CryptoKeyPair')
  if (requestObjects !== false && !requestObject && findings.length === 0)
    refuse('requestObjects needs a key. Set requestObjects: { signingKey } or token: { clientPrivateKey }')
  const keys = Object.freeze({ assertion, requestObject, decryption, dpop: bound })
  return { keys, signsRequests: requestObjects !== false, findings }
}

const listed = (given: ClientPrivateKey | readonly ClientPrivateKey[] | undefined): readonly ClientPrivateKey[] =>
  given === undefined ? [] : Array.isArray(given) ? given : [given as ClientPrivateKey]

/**
 * The keys whose public parts the application publishes, the signing ones first. The key of DPoP is not among them. Of the
 * decryption keys with one algorithm, only the first is: the others decrypt what was encrypted before an exchange of keys.
 */
export const publishableKeys = ({ assertion, requestObject, decryption }: ProviderKeys): readonly ClientKey[] => [
  ...new Set([...assertion, ...(requestObject ? [requestObject] : [])]),
  ...decryption.filter(({ alg }, index) => decryption.findIndex((key) => key.alg === alg) === index),
]

/** Whether a provider may read public keys of the application. */
export const publishesKeys = (provider: ResolvedProvider): boolean =>
  (provider.type === 'oauth' || provider.type === 'oidc') &&
  publishableKeys(provider.keys).some(({ publicKey }) => publicKey !== null)
