import type { JWTPayload } from 'jose'
import { within } from '../kernel/awaitable.js'
import { isWithoutAnswer } from '../kernel/back-channel.js'
import type { ResolvedOAuthProvider, TokenSet } from '../providers/provider.js'
import { dpopOf, openClient } from './client.js'
import { decryptToken } from './decrypt-token.js'
import { cleanError, ProviderFault } from './faults.js'
import { type IdTokenChecks, stated, verifyIdToken } from './id-token.js'
import { isTenantTemplate } from './issuer.js'
import type { OAuthClient } from './metadata.js'
import { observe, type Received, readTokenAnswer, tokenParameters } from './token-answer.js'
import { type RefreshAnswer, unverifiedClaims } from './token-calls.js'

/** What is refreshed. */
interface RefreshGrant {
  readonly refreshToken: string
  /** The stored ID token; null if there is none. */
  readonly idToken: string | null
  /** Of the account whose tokens they are. */
  readonly accountId: string
}

/** Errors that say that a refresh token does not count any more: that of RFC 6749 §5.2, and that of GitHub. */
const REFUSALS: ReadonlySet<string> = new Set(['invalid_grant', 'bad_refresh_token'])

/** Errors about the registration of the client, its proofs, or the moment. They say nothing of the refresh token. */
const OTHER_ERRORS = /^(invalid_client|unsupported_grant_type|invalid_dpop_proof|use_dpop_nonce)$/

/**
 * Whether the provider refused the request for a reason that may be the refresh token. Dex says `invalid_request`, Gitea
 * `unauthorized_client`, Pocket ID a sentence. `unauthorized_client` with 401 is the secret, as Keycloak says it,
 * and so is a sentence with 401, as Pocket ID does (RFC 6749 §5.2).
 */
function isRefusedRequest({ doing, status, code }: ProviderFault): boolean {
  if (doing === 'provider' || status === null || status < 400 || OTHER_ERRORS.test(code ?? '')) return false
  return status !== 401 || (code !== null && code !== 'unauthorized_client')
}

/** How long the verification of a new ID token may take, while the new tokens are not stored. */
const MOST_VERIFYING_MS = 5000

/** The longest wait that a provider may ask for, seconds. */
const MOST_RETRY_AFTER = 24 * 60 * 60

/**
 * Refreshes tokens at a provider. It does not reject.
 *
 * @see RFC 6749 §6, OpenID Connect Core 1.0 §12
 */
export async function refreshAtProvider(
  provider: ResolvedOAuthProvider,
  grant: RefreshGrant,
  dependencies: OAuthClient,
): Promise<RefreshAnswer> {
  const secrets = new Set([provider.clientSecret ?? '', grant.refreshToken, grant.idToken ?? ''])
  const received: Received & { retryAfter?: string | null } = { status: 0, body: null }
  const failed = (error: unknown, { isLost = false, isDoubtful = false } = {}): RefreshAnswer => {
    const retryAfterSeconds = received.status === 429 || received.status === 503 ? secondsOf(received.retryAfter) : null
    const fault = cleanError(error, secrets)
    return { kind: 'failed', isLost, isDoubtful, fault, ...(retryAfterSeconds !== null && { retryAfterSeconds }) }
  }
  try {
    const metadata = await dependencies.metadataOf(provider)
    const channel = dependencies.channelOf(provider)
    const noting: typeof fetch = async (input, init) => {
      const answer = await channel(input, init)
      received.retryAfter = answer.headers.get('retry-after')
      return answer
    }
    const client = await openClient({
      provider,
      metadata,
      now: dependencies.now,
      fetch: observe({ provider, fetch: noting, secrets }, received),
    })
    const { library, configuration } = client
    try {
      await library.refreshTokenGrant(
        configuration,
        grant.refreshToken,
        // A function that needs the parameters of a callback has none here.
        tokenParameters(provider, {
          params: {},
          checks: {},
          provider: { ...provider.source, callbackUrl: '', signinUrl: '' },
        }),
        await dpopOf(provider, client),
      )
      const answer = withoutAccount(received.body as TokenSet)
      const { id_token, ...others } = answer
      const tokens = await readTokenAnswer(provider, others, dependencies.now())
      const { access_token } = tokens
      if (access_token === undefined) throw new ProviderFault('The answer to a refresh has no access_token.')
      for (const token of [access_token, tokens.refresh_token, id_token]) secrets.add(token ?? '')
      const given = { provider, metadata, keySets: dependencies.keySets, now: dependencies.now }
      const { fault, ...member } = await checkIdToken(id_token, { ...given, accessToken: access_token }, grant, secrets)
      return { kind: 'tokens', tokens: { ...tokens, access_token, ...member }, ...(fault && { fault }) }
    } catch (error) {
      const fault = cleanError(error, secrets)
      if (fault instanceof ProviderFault) {
        const isDead = fault.doing !== 'provider' && fault.code !== null && REFUSALS.has(fault.code)
        return isDead ? { kind: 'refused', fault } : failed(fault, { isDoubtful: isRefusedRequest(fault) })
      }
      const status = received.status === 0 ? '' : ` The token endpoint answered with the status ${received.status}.`
      // Some messages are whole sentences already.
      return failed(new ProviderFault(`${fault.message.replace(/\.?$/, '.')}${status}`), {
        isLost: isWithoutAnswer(fault),
      })
    }
  } catch (error) {
    return failed(error)
  }
}

/** An answer without members of an account that it must not set. */
const withoutAccount = ({
  userId: _,
  provider: __,
  providerAccountId: ___,
  expires_at: ____,
  ...answer
}: TokenSet): TokenSet => answer

/** An answer that is of another person, or for another client. Its tokens are worth nothing here. */
class OtherPerson extends ProviderFault {}

/**
 * Verifies a new ID token, which must be of the same issuer and subject as the one before. One that cannot be verified is left
 * out: the other tokens came from the token endpoint itself, over TLS, and the provider may have ended the refresh token before.
 *
 * @returns the member of the tokens, or why it was left out
 * @throws {OtherPerson} for a token of somebody else, also if it cannot be verified
 * @see OpenID Connect Core 1.0 §3.1.3.7 (6), §12.2
 */
async function checkIdToken(
  given: string | undefined,
  checks: Omit<IdTokenChecks, 'nonce' | 'maxAge' | 'isRefresh'>,
  { idToken: before, accountId }: RefreshGrant,
  secrets: Iterable<string>,
): Promise<{ readonly id_token?: string; readonly fault?: Error }> {
  const { provider } = checks
  if (provider.type !== 'oidc' || given === undefined) return {}
  try {
    const id_token = await decryptToken(provider, given, 'id_token')
    // Without a stored ID token, the id of the account is the subject, unless profile() makes another one.
    const known = provider.idIsSubject ? { sub: accountId } : {}
    requireSamePerson(await unverifiedClaims(id_token), { ...known, ...(await unverifiedClaims(before)) }, checks)
    const verified = verifyIdToken(id_token, { ...checks, nonce: undefined, isRefresh: true, maxAge: undefined })
    await within(
      verified,
      MOST_VERIFYING_MS,
      () => new ProviderFault(`Provider "${provider.id}": its ID token could not be verified in time.`),
    )
    return { id_token }
  } catch (error) {
    if (error instanceof OtherPerson) throw error
    return { fault: cleanError(error, secrets) }
  }
}

/**
 * @param claims what is not there proves nothing
 * @param known of the stored ID token; if there is none, what else is known of the person
 */
function requireSamePerson(
  claims: JWTPayload,
  known: JWTPayload,
  { provider: { id, clientId }, metadata: { issuer } }: Pick<IdTokenChecks, 'provider' | 'metadata'>,
): void {
  const ownIssuer = issuer === null || isTenantTemplate(issuer) ? undefined : issuer
  const expected = { iss: known.iss ?? ownIssuer, sub: known.sub, aud: clientId, azp: clientId }
  for (const [name, value] of Object.entries(expected)) {
    const came = [stated(claims[name]) ?? []].flat()
    if (value === undefined || came.length === 0) continue
    // Only `aud` may be a list.
    if (name === 'aud' ? !came.includes(value) : came.some((each) => each !== value))
      throw new OtherPerson(`Provider "${id}": its new ID token is of another person, issuer or client (${name}).`)
  }
}

/** Seconds of a `Retry-After` header; null for a date, or for anything else. */
function secondsOf(header: string | null | undefined): number | null {
  const seconds = /^\d{1,9}$/.test(header ?? '') ? Number(header) : Number.NaN
  return Number.isFinite(seconds) ? Math.min(seconds, MOST_RETRY_AFTER) : null
}
