import { isUsableCertificate } from '../kernel/certificate-fetch.js'
import { type AuthError, InvalidProvider } from '../kernel/errors.js'
import { findingsOf, type Problems } from '../kernel/shape.js'
import { CERTIFICATE_METHODS, hasKey, type OAuthMembers } from './check-oauth-provider.js'
import { type ClientKey, type KeyReading, readClientKey, UnusableKey } from './client-keys.js'
import type { ClientPrivateKey, ProviderKeys } from './provider-object.js'

/** What the checks need to know beside the members. */
interface Facts {
  readonly issuer: string | undefined
  /** Whether the provider answers with a JWT. */
  readonly isJwtResponse: boolean
  /** Whether the application has its own `fetch` for the provider. */
  readonly hasOwnFetch: boolean
  /** Whether the metadata are fetched, which name the issuer. */
  readonly hasDiscovery: boolean
}

export const CONTENT_ENCRYPTIONS = ['A128CBC-HS256', 'A192CBC-HS384', 'A256CBC-HS512', 'A128GCM', 'A192GCM', 'A256GCM']

/**
 * What is wrong with the members that protect more than OpenID Connect demands: signed requests and answers, encrypted
 * tokens, bound tokens, certificates, required ways of signing in. The keys are checked where they are read.
 */
export function checkClientSecurity(provider: OAuthMembers, facts: Facts): readonly AuthError[] {
  const { id } = provider
  const problems = [
    ...certificateProblems(provider, facts),
    ...encryptionProblems(provider, facts),
    ...issuerProblems(provider, facts),
    ...acrProblems(provider),
    provider.dpop && provider.token?.request && 'dpop has no effect on a token.request hook. Leave out one of them',
  ]
  return findingsOf(problems, (problem) => new InvalidProvider(`Provider "${id}": ${problem}.`))
}

function certificateProblems({ client = {}, tls }: OAuthMembers, { hasOwnFetch }: Facts): Problems {
  const method = client.token_endpoint_auth_method ?? ''
  return [
    CERTIFICATE_METHODS.has(method) &&
      !tls?.cert &&
      !hasOwnFetch &&
      `it authenticates with ${method} and has no certificate. Set tls: { cert, key }`,
    tls && hasOwnFetch && 'tls has no effect on its own fetch. Leave out tls or [customFetch]',
    tls && (tls.cert || tls.key || !tls.ca) && !(tls.cert && tls.key) && 'tls needs cert and key together, or ca alone',
    ...(['cert', 'key', 'ca'] as const).map(
      (name) =>
        looksLikePath(tls?.[name]) &&
        `tls.${name} is the path of a file; it must be the text in that file. Give what you read from the file`,
    ),
    tls &&
      ![tls.cert, tls.key, tls.ca].some(looksLikePath) &&
      !isUsableCertificate(tls) &&
      'tls cannot be used: cert, key and ca are PEM, cert and key belong together, and passphrase opens key',
  ]
}

/** PEM has lines; a path has a slash or the ending of such a file. */
const looksLikePath = (value: unknown): boolean =>
  typeof value === 'string' &&
  !/[\r\n]|-----BEGIN/.test(value) &&
  /[/\\]|\.(pem|crt|cer|key)$/i.test(value) &&
  value.length < 500

const ENCRYPTED = ['id_token', 'userinfo', 'authorization'] as const

function encryptionProblems({ client = {}, decryptionKeys, type, userinfo }: OAuthMembers, facts: Facts): Problems {
  const ofEach = ENCRYPTED.flatMap((what) => {
    const [nameOfAlg, nameOfEnc] = [`${what}_encrypted_response_alg`, `${what}_encrypted_response_enc`] as const
    const [alg, enc] = [client[nameOfAlg], client[nameOfEnc]]
    return [
      alg !== undefined && !hasKey(decryptionKeys) && `${nameOfAlg} needs a key. Set decryptionKeys`,
      enc !== undefined && alg === undefined && `${nameOfEnc} needs ${nameOfAlg}`,
      enc !== undefined &&
        !CONTENT_ENCRYPTIONS.includes(enc) &&
        `${nameOfEnc} is none of ${CONTENT_ENCRYPTIONS.join(', ')}`,
    ]
  })
  return [
    ...ofEach,
    client.id_token_encrypted_response_alg !== undefined &&
      type === 'oauth' &&
      'plain OAuth has no ID token that could be encrypted',
    client.userinfo_encrypted_response_alg !== undefined &&
      userinfo?.request &&
      'userinfo_encrypted_response_alg has no effect on a userinfo.request hook. Leave out one of them',
    client.authorization_encrypted_response_alg !== undefined &&
      !facts.isJwtResponse &&
      'authorization_encrypted_response_alg needs an answer in a JWT. Set authorization: { params: { response_mode: "jwt" } }',
  ]
}

/** A JWT of the provider names its issuer, and one of ours names the provider by its issuer. */
function issuerProblems({ requestObjects = false, client, token, ...others }: OAuthMembers, facts: Facts): Problems {
  if (facts.issuer !== undefined) return []
  const method = client?.token_endpoint_auth_method
  const isForEndpoint = others.clientAssertionAudience === 'token_endpoint' && token?.url !== undefined
  // Metadata could name the issuer of another server, which would take what this one gets (RFC 8414 §3.3).
  const assertion =
    method?.endsWith('_jwt') &&
    !isForEndpoint &&
    `${method} needs an issuer, which is the audience of assertions. Set issuer`
  if (facts.hasDiscovery) return [assertion]
  return [
    assertion,
    requestObjects !== false && 'requestObjects needs an issuer, which is the audience. Set issuer',
    facts.isJwtResponse && 'response_mode jwt needs an issuer, which the answer must name. Set issuer',
  ]
}

function acrProblems({ requireAcr, type }: OAuthMembers): Problems {
  if (requireAcr === undefined) return []
  const isUsable = requireAcr.length > 0 && requireAcr.every((acr) => /^[^\s]+$/.test(acr))
  return [
    type === 'oauth' && 'requireAcr needs an ID token, which plain OAuth does not have',
    !isUsable && 'requireAcr is a list of at least one value, each without spaces',
  ]
}

/**
 * Reads all keys that the application has for a provider, and checks them without a use of any. `signsRequests` says whether
 * authorization requests are signed even if the provider does not require it.
 */
export function resolveClientKeys(merged: OAuthMembers) {
  const { id, client = {}, token, requestObjects = false, decryptionKeys, dpop } = merged
  const findings: AuthError[] = []
  const refuse = (why: string) => findings.push(new InvalidProvider(`Provider "${id}": ${why}.`))
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
  const keys: ProviderKeys = Object.freeze({ assertion, requestObject, decryption, dpop: bound })
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
