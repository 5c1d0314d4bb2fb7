import { createCertificateFetch } from '../kernel/certificate-fetch.js'
import { isPlainObject } from '../kernel/describe-value.js'
import type { AuthError } from '../kernel/errors.js'
import { membersOf, withoutUndefined } from '../kernel/objects.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { configuredParameter } from './authorization-parameters.js'
import { CERTIFICATE_METHODS, checkCopiedTexts, checkOAuthProvider, type OAuthMembers } from './check-oauth-provider.js'
import { fetchOf, type NamedMembers, symbolMember } from './check-provider.js'
import { checkClientSecurity, publishableKeys, resolveClientKeys } from './client-security.js'
import { defaultAccount, defaultProfile, noteLeftOut, withoutUnusable } from './mapped-user.js'
import { standardClaims, userField, verifiedClaim } from './profile-mapping.js'
import type {
  AccountCallback,
  OAuthConfig,
  OAuthProviderButtonStyles,
  Profile,
  ProviderSettings,
  ResolvedEndpoint,
  TokenEndpoint,
} from './provider-object.js'
import { resolveTokenFacts, UrlReader, withParameters } from './resolve-endpoints.js'

const DEFAULT_SCOPE = 'openid profile email'
const WELL_KNOWN = '/.well-known/openid-configuration'

/**
 * Resolves an OAuth or OpenID Connect provider, or finds what is wrong with it.
 *
 * @param made the object from the application or the provider's function, which has members under symbols
 * @param members the same, merged with its options
 */
export function resolveOAuthProvider(
  made: object,
  members: NamedMembers & { type: 'oauth' | 'oidc' },
  settings: ProviderSettings,
) {
  const merged = fillIn(members, settings)
  const frayed = checkCopiedTexts(merged)
  if (frayed.length > 0) return frayed
  const urls = new UrlReader(merged)
  const authorization = urls.endpoint('authorization')
  const mode = String(configuredParameter({ authorization }, 'response_mode') ?? 'query')
  const responseMode = mode.startsWith('form_post') ? 'form_post' : 'query'
  const isJwtResponse = mode.endsWith('jwt')
  // A proxy would have to forward a posted response with a form, and the browser would send no cookies with such a POST.
  // It reads the state of a response, and the state in a JWT is known once the JWT is verified.
  const redirectProxyUrl = responseMode === 'form_post' || isJwtResponse ? undefined : merged.redirectProxyUrl
  const issuer = merged.issuer ?? issuerOf(merged)
  const jwksUrl = urls.read('jwks_endpoint', merged.jwks_endpoint)
  const token = urls.endpoint('token')
  const userinfo = urls.endpoint('userinfo')
  const missing = missingEndpoints(merged, { authorization, token, userinfo }, jwksUrl)
  const issuerUrl = urls.read('issuer', issuer)
  const wellKnown = merged.wellKnown ?? (issuerUrl === null ? undefined : `${issuer?.replace(/\/$/, '')}${WELL_KNOWN}`)
  const discoveryUrl = missing.length > 0 || merged.wellKnown ? urls.read('wellKnown', wellKnown) : null
  urls.read('redirectProxyUrl', redirectProxyUrl)
  const tokenFacts = resolveTokenFacts(merged.tokenFacts, {
    issuer,
    clientId: merged.clientId,
    read: (option, value) => urls.read(option, value),
  })

  const ownFetch = fetchOf(made)
  const { keys, signsRequests, findings: keyFindings } = resolveClientKeys(merged)

  const findings = [
    ...urls.findings,
    ...checkOAuthProvider(merged, {
      issuer,
      // An issuer or address that cannot be used is told of already.
      missing: (merged.wellKnown ?? issuer) ? [] : missing,
      authorization,
    }),
    ...checkClientSecurity(merged, {
      issuer,
      isJwtResponse,
      hasOwnFetch: ownFetch !== undefined,
      hasDiscovery: discoveryUrl !== null,
    }),
    ...keyFindings,
  ]
  if (findings.length > 0) return findings

  const checks = checksOf(merged, redirectProxyUrl)
  if (checks.size === 0) settings.logger.warn('unchecked-provider', { provider: merged.id })
  if (publishableKeys(keys).some(({ publicKey }) => publicKey === null))
    settings.logger.warn('key-not-published', { provider: merged.id })
  const scope = configuredParameter({ authorization }, 'scope') ?? ''
  // Apple gives an ID token without it, and Auth.js does not ask for it there.
  const isNeeded = merged.type === 'oidc' && issuer !== 'https://appleid.apple.com'
  if (isNeeded && typeof scope === 'string' && !scope.split(' ').includes('openid'))
    settings.logger.warn('scope-without-openid', { provider: merged.id })
  if (keys.assertion.length > 0 && !signsWith(merged) && !merged.token?.request) {
    const reason = `Provider "${merged.id}": token.clientPrivateKey signs nothing, unless the provider demands signed requests. To sign in with it, set client: { token_endpoint_auth_method: "private_key_jwt" }.`
    settings.logger.warn('unused-option', { reason })
  }
  const source = Object.freeze({
    ...merged,
    userinfo: { ...merged.userinfo, ...(userinfo.url ? { url: withParameters(userinfo).href } : {}) },
  })
  return Object.freeze({
    ...DEFAULTS,
    ...merged,
    clientId: merged.clientId ?? '',
    issuer,
    /** URL of the metadata; null if all endpoints in use are configured. */
    discoveryUrl,
    authorization,
    token: Object.freeze({ ...token, ...hooksOf(merged.token) }),
    userinfo: Object.freeze({ ...userinfo, ...hooksOf(merged.userinfo) }),
    jwksUrl,
    checks,
    /** Checks that are never added. */
    unsupportedChecks: new Set(merged.unsupportedChecks),
    client: Object.freeze({ ...merged.client }),
    /** `form_post` if the authorization parameters say so: then the response is a POST from another site. */
    responseMode,
    /** Whether the provider answers with a JWT, in which the parameters of the response are (JARM). */
    isJwtResponse,
    /** Whether `profile` is known to make the subject the id of an account. One of the application may do so as well. */
    idIsSubject: merged.profile === undefined || merged.profile === standardClaims,
    completeProfile: merged.completeProfile ?? completionOf(made, responseMode),
    /** Further query parameters of a sign-in request that are sent to the provider. */
    forwardedParams: new Set(merged.forwardedParams),
    trustedAudiences: Object.freeze([...(merged.trustedAudiences ?? [])]),
    account: keptAccount(merged.account ?? (defaultAccount as AccountCallback), noteLeftOut(settings.logger, merged)),
    /**
     * Where the claims of a person with an ID token come from. `either`: from the ID token; if it has neither a name nor an
     * address, from userinfo, too.
     */
    claimsFrom: merged.idToken === undefined ? 'either' : merged.idToken ? 'id-token' : 'userinfo',
    /** Whether authorization requests are signed even if the provider does not require it. */
    signsRequests,
    keys,
    /** Whether calls go to the endpoints for mutual TLS, where the provider has such endpoints. */
    usesMutualTls: usesMutualTls(merged),
    /** One of these must be the `acr` of the ID token; empty if any may. */
    requiredAcr: Object.freeze([...(merged.requireAcr ?? [])]),
    tokenFacts,
    redirectProxyUrl,
    fetch: merged.tls ? createCertificateFetch(merged.tls) : ownFetch,
    /** The merged object that hooks get. Its endpoints are objects. */
    // biome-ignore lint/suspicious/noExplicitAny: only the hooks of the provider know the type of its profile
    source: source as OAuthConfig<any>,
  } as const)
}

/** A resolved OAuth or OpenID Connect provider: merged with its options, the environment and the defaults, and frozen. */
export interface ResolvedOAuthProvider extends Exclude<ReturnType<typeof resolveOAuthProvider>, readonly AuthError[]> {}

/** What members are that the application and the entry of the provider leave out. */
const DEFAULTS = {
  profile: (profile: Profile) => defaultProfile(profile),
  verifiedEmail: verifiedClaim,
  allowDangerousEmailAccountLinking: false,
  allowInsecureHttp: false,
  pushedAuthorizationRequests: false,
  clientAssertionAudience: 'issuer',
  /** A sign-out is never one at the provider. */
  endSession: null,
  endSessionMethod: 'get',
  backChannelLogout: false,
  frontChannelLogout: false,
  style: {} as OAuthProviderButtonStyles,
} as const

/** Adds values of the environment and defaults for members that the provider does not have. Later steps rely on them. */
function fillIn(members: NamedMembers & { type: 'oauth' | 'oidc' }, settings: ProviderSettings): OAuthMembers {
  const environment = settings.environment(members.id)
  const given = (name: string, fallback?: string) => {
    const value = members[name]
    return typeof value === 'string' && value !== '' ? value : fallback || undefined
  }
  const authorization = isPlainObject(members.authorization) ? members.authorization : {}
  const params = isPlainObject(authorization.params) ? authorization.params : {}
  const hasScope = 'scope' in params || queryOf(authorization.url).has('scope')
  return {
    ...(members as OAuthMembers),
    clientId: given('clientId', environment.clientId),
    clientSecret: given('clientSecret', environment.clientSecret),
    issuer: given('issuer', environment.issuer || given('fallbackIssuer')),
    wellKnown: given('wellKnown'),
    redirectProxyUrl: given('redirectProxyUrl', settings.redirectProxyUrl)?.replace(/\/+$/, ''),
    authorization: { ...authorization, params: hasScope ? params : { scope: DEFAULT_SCOPE, ...params } },
  }
}

/** The tokens that the application chooses, without those that no store could keep. */
const keptAccount =
  (choose: AccountCallback, note: ReturnType<typeof noteLeftOut>): AccountCallback =>
  (tokens) => {
    const kept = choose(tokens)
    return kept && withoutUnusable(kept, note)
  }

const queryOf = (url: unknown) =>
  typeof url === 'string' && isAbsoluteUrl(url) ? new URL(url).searchParams : new URLSearchParams()

/** The issuer in a metadata URL of the usual form. */
function issuerOf({ type, wellKnown }: OAuthMembers): string | undefined {
  return type === 'oidc' && wellKnown?.endsWith(WELL_KNOWN) ? wellKnown.slice(0, -WELL_KNOWN.length) : undefined
}

/** The endpoints that a sign-in needs and that are not configured. Discovery must give them. */
function missingEndpoints(
  merged: OAuthMembers,
  { authorization, token, userinfo }: Readonly<Record<'authorization' | 'token' | 'userinfo', ResolvedEndpoint>>,
  jwksUrl: URL | null,
): string[] {
  const usesUserinfo = (merged.type === 'oauth' || merged.idToken === false) && !merged.userinfo?.request
  const usesKeys = merged.type === 'oidc' && !merged.client?.id_token_signed_response_alg?.startsWith('HS')
  return [
    authorization.url ? '' : 'authorization',
    token.url || merged.token?.request ? '' : 'token',
    usesUserinfo && !userinfo.url ? 'userinfo' : '',
    usesKeys && !jwksUrl ? 'jwks_endpoint' : '',
  ].filter(Boolean)
}

function checksOf({ checks = ['pkce'] }: OAuthMembers, redirectProxyUrl: string | undefined) {
  const set = new Set(checks.filter((check) => check !== 'none'))
  // The state says to which deployment the proxy forwards the response.
  if (redirectProxyUrl !== undefined) set.add('state')
  return set
}

/** Whether the key of the client signs anything: its assertions, or its requests. */
const signsWith = ({ client = {}, requestObjects = false }: OAuthMembers): boolean =>
  client.token_endpoint_auth_method === 'private_key_jwt' ||
  requestObjects === true ||
  (typeof requestObjects === 'object' && requestObjects.signingKey === undefined)

/** Servers that ask for certificates often have addresses of their own for that (RFC 8705 §5). */
const usesMutualTls = ({ client = {}, tls }: OAuthMembers): boolean =>
  client.use_mtls_endpoint_aliases ??
  (tls?.cert !== undefined || CERTIFICATE_METHODS.has(client.token_endpoint_auth_method ?? ''))

type Hooks<Request> = Pick<TokenEndpoint<unknown>, 'conform' | 'headers'> & { request?: Request }

const hooksOf = <Request>({ request, conform, headers }: Hooks<Request> = {}) =>
  withoutUndefined({ request, conform, headers })

/**
 * Auth.js has a marker on providers whose posted response has a `user` field with the name of the user, which is sent only
 * at the first sign-in.
 */
function completionOf(made: object, responseMode: string): OAuthMembers['completeProfile'] {
  if (!symbolMember(made, 'conform-internal') || responseMode !== 'form_post') return undefined
  return (profile, _tokens, { params }) => ({ ...membersOf(profile), ...userField(params.user) })
}
