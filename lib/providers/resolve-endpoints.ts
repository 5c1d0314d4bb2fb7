import { isProtected } from '../kernel/back-channel.js'
import { isPlainObject } from '../kernel/describe-value.js'
import { type AuthError, InvalidEndpoints } from '../kernel/errors.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import type { OAuthMembers } from './check-oauth-provider.js'
import type { ResolvedEndpoint } from './provider-object.js'
import type { EndSessionFacts, RevocationDialect, TokenFacts } from './token-facts.js'

/** Reads the URLs of a provider, and collects findings about those that cannot be used. */
export class UrlReader {
  readonly findings: AuthError[] = []
  readonly #members: OAuthMembers

  constructor(members: OAuthMembers) {
    this.#members = members
  }

  endpoint(name: 'authorization' | 'token' | 'userinfo'): ResolvedEndpoint {
    const { url, params } = this.#members[name] ?? {}
    return Object.freeze({ url: this.read(`${name}.url`, url), params: Object.freeze({ ...params }) })
  }

  read(option: string, value: unknown): URL | null {
    if (value === undefined || value === null || value === '') return null
    const text = value instanceof URL ? value.href : value
    const { id, allowInsecureHttp } = this.#members
    // `localhost:8080/realm` can be parsed, too: its scheme is `localhost`.
    if (typeof text === 'string' && /^https?:/i.test(text) && isAbsoluteUrl(text)) {
      const url = new URL(text)
      if (isProtected(url, allowInsecureHttp) || (option === 'redirectProxyUrl' && url.protocol === 'http:')) return url
      this.#found(
        `Provider "${id}": ${option} is ${url.protocol}//${url.host}, and tokens must not cross a network unencrypted. Use https, or set allowInsecureHttp: true for a test network.`,
      )
    } else {
      this.#found(`Provider "${id}": ${option} is not an absolute URL. Write it with its scheme: https://…`)
    }
    return null
  }

  #found(message: string): void {
    this.findings.push(new InvalidEndpoints(message))
  }
}

/** An endpoint's URL with its parameters in the query. */
export function withParameters({ url, params }: ResolvedEndpoint): URL {
  const complete = new URL(url ?? '')
  for (const [name, value] of Object.entries(params)) complete.searchParams.set(name, String(value))
  return complete
}

/** What stands in for the placeholders of a URL, and what checks the URL. */
export interface TokenFactsContext {
  readonly issuer: string | undefined
  readonly clientId: string | undefined
  /** Parses the URL of an option. Null, and a finding, if tokens must not be sent there, or if it is no URL. */
  read(option: string, value: unknown): URL | null
}

/**
 * The facts of one configured provider: endpoints in one form, URLs complete and checked. Tokens and the client secret go to
 * these URLs, so they must be as protected as the token endpoint. Undefined is not documented; null for an endpoint is none.
 *
 * @param facts as the application gave them; the check of shapes reports what is wrong with them
 */
export function resolveTokenFacts(facts: TokenFacts | undefined, context: TokenFactsContext) {
  const { revocation, endSession, ...others }: TokenFacts = isPlainObject(facts) ? facts : {}
  return Object.freeze({
    ...others,
    revocation: resolveEndpoint(
      'revocation',
      revocation === 'metadata' ? { url: 'metadata', dialect: 'rfc7009' as const } : revocation,
      context,
    ),
    endSession: resolveEndpoint<EndSessionFacts>(
      'endSession',
      endSession === 'metadata' ? STANDARD_LOGOUT : endSession,
      context,
    ),
  })
}

/** The facts of one configured provider. */
export type ResolvedTokenFacts = ReturnType<typeof resolveTokenFacts>

/** A resolved provider, as far as these facts go. */
type WithTokenFacts = { readonly tokenFacts: ResolvedTokenFacts }

function resolveEndpoint<E extends { readonly url: string }>(
  name: 'revocation' | 'endSession',
  endpoint: E | 'none' | undefined,
  context: TokenFactsContext,
): (Omit<E, 'url'> & { readonly url: URL | 'metadata' }) | null | undefined {
  if (endpoint === 'none') return null
  if (!isPlainObject(endpoint)) return undefined
  const url = endpoint.url === 'metadata' ? endpoint.url : readUrl(`tokenFacts.${name}.url`, endpoint.url, context)
  return url === null ? undefined : Object.freeze({ ...endpoint, url })
}

function readUrl(option: string, template: unknown, { issuer, clientId, read }: TokenFactsContext): URL | null {
  if (typeof template !== 'string') return read(option, template)
  // The start reports a missing issuer or client id itself.
  if (template.includes('{issuer}') && !issuer) return null
  if (template.includes('{client_id}') && !clientId) return null
  const url = template
    .replaceAll('{issuer}', () => issuer?.replace(/\/+$/, '') ?? '')
    .replaceAll('{client_id}', () => encodeURIComponent(clientId ?? ''))
  return read(option, url)
}

/** The logout endpoint of a provider that documents none, or only that it is in the metadata. */
export const STANDARD_LOGOUT = { url: 'metadata', returnParam: 'post_logout_redirect_uri' } as const

/** Whether a logout endpoint is one of OpenID Connect RP-Initiated Logout 1.0, which takes an ID token, a state, and a POST. */
export const isStandardLogout = (returnParam: string | null | undefined): boolean =>
  returnParam === STANDARD_LOGOUT.returnParam

/**
 * Whether the logout of a provider needs an ID token to lead people back. By the standard, a provider knows by it who asks;
 * without one, some refuse an address to come back to.
 */
export const needsIdTokenHint = ({ tokenFacts: { endSession } }: WithTokenFacts): boolean =>
  !endSession || (isStandardLogout(endSession.returnParam) && !endSession.withoutHint)

/**
 * Where a provider revokes tokens: as its facts say, or else as its metadata announce it. Null where nothing can be revoked,
 * as far as that is known before the metadata are read.
 *
 * @see RFC 8414 §2
 */
export function revocationOf({ tokenFacts, discoveryUrl }: WithTokenFacts & { readonly discoveryUrl: URL | null }) {
  const { revocation = { url: 'metadata', dialect: 'rfc7009' } as const } = tokenFacts
  if (revocation?.dialect === undefined || (revocation.url === 'metadata' && discoveryUrl === null)) return null
  return revocation as typeof revocation & { readonly dialect: RevocationDialect }
}

/** Where a provider revokes tokens. */
export type ResolvedRevocation = NonNullable<ReturnType<typeof revocationOf>>
