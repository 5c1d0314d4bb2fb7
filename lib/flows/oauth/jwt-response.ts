import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { decryptToken } from './decrypt-token.js'
import type { OAuthDependencies } from './dependencies.js'
import { ProviderFault, ProviderOutage, UnusableAnswer } from './faults.js'
import { checkOtherAudiences, verifySignature } from './id-token.js'
import { isTenantTemplate } from './issuer.js'

const WHAT = 'authorization response'
/** Claims about the JWT itself, which are no parameters of the response. */
const ABOUT_THE_JWT = new Set(['aud', 'exp', 'iat', 'nbf', 'jti'])

/**
 * The parameters in the JWT of an authorization response. Its signature, issuer, audience and expiry are verified first,
 * so nothing of the response is used before. Parameters beside the JWT are ignored: anybody can write them.
 *
 * @throws {UnusableAnswer} when there is no JWT, or one that is not from this provider for this client
 * @see JWT Secured Authorization Response Mode for OAuth 2.0 (JARM) §2.4
 */
export async function paramsOfJwt(
  provider: ResolvedOAuthProvider,
  received: URLSearchParams,
  { metadataOf, keySets, now }: Pick<OAuthDependencies, 'metadataOf' | 'keySets' | 'now'>,
): Promise<URLSearchParams> {
  const unusable = (why: string) => new UnusableAnswer(`Provider "${provider.id}": ${why}`)
  const [response, ...more] = received.getAll('response')
  if (response === undefined || more.length > 0) {
    throw unusable(
      'the answer has not one parameter named response, in which the signed answer is. response_mode is configured as a JWT.',
    )
  }
  const metadata = await metadataOf(provider)
  const issuer = metadata.issuer ?? ''
  const { authorization_encrypted_response_alg: alg, authorization_encrypted_response_enc: enc } = provider.client
  const jwt = await decryptToken(provider, response, { what: WHAT, alg, enc }).catch(asUnusable)
  const { claims, type } = await verifySignature(
    jwt,
    {
      audience: provider.clientId,
      requiredClaims: ['iss', 'aud', 'exp'],
      // That of a tenant is checked with the parameter `iss`, which every JWT has.
      ...(isTenantTemplate(issuer) ? {} : { issuer }),
    },
    { kind: WHAT, provider, metadata, keySets, now },
  ).catch(asUnusable)
  checkOtherAudiences(claims, provider, (why) => {
    throw unusable(`its ${WHAT} is refused: ${why}.`)
  })
  // Tokens of other kinds are signed with the same keys (RFC 8725 §3.11).
  const isOther =
    type !== undefined && (typeof type !== 'string' || (/\+jwt$/i.test(type) && !/authz-resp/i.test(type)))
  if (isOther || claims['events'] !== undefined)
    throw unusable('its authorization response is refused: it is a token of another kind.')
  return new URLSearchParams(
    Object.entries(claims).filter(
      (claim): claim is [string, string] => typeof claim[1] === 'string' && !ABOUT_THE_JWT.has(claim[0]),
    ),
  )
}

/** The response came through a browser, so a bad one proves no fault of the provider. */
function asUnusable(error: unknown): never {
  throw error instanceof ProviderFault && !(error instanceof ProviderOutage) ? new UnusableAnswer(error.message) : error
}
