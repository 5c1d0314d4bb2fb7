import { parseObject } from '../kernel/json-object.js'
import type { HookProvider } from '../providers/oauth-config.js'
import type { ResolvedOAuthProvider, TokenSet } from '../providers/provider.js'
import { usableMembers } from '../providers/request-hooks.js'
import { decryptToken } from './decrypt-token.js'
import { answerFault, endpointFetch } from './endpoint-fetch.js'
import { ProviderFault } from './faults.js'
import { wordsOfAnswer } from './provider-words.js'

/*
 * What the requests for a code and for a refresh have in common. An answer to a refresh is checked as strictly as the
 * answer at the sign-in.
 */

/** What a function among the configured members of the token request gets. */
interface ParameterContext {
  /** Parameters of the callback; empty for a refresh. */
  readonly params: Readonly<Record<string, string>>
  readonly checks: object
  // biome-ignore lint/suspicious/noExplicitAny: the profile is of no interest here
  readonly provider: HookProvider<any>
}

/** Configured members of the token request; a function computes its own. */
export function tokenParameters({ token }: ResolvedOAuthProvider, context: ParameterContext): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(token.params)) {
    const given: unknown = typeof value === 'function' ? value(context) : value
    if (given !== undefined && given !== null) parameters.set(name, String(given))
  }
  return parameters
}

/**
 * The tokens of an answer: `token_type` in lower case, `expires_at` in seconds since the epoch, the ID token decrypted but
 * not verified yet.
 *
 * @param now milliseconds since the epoch
 * @throws {ProviderFault} when there is neither an access token nor an ID token, when they are not bound to the key of
 *   `dpop`, when a token has a line break or another character that RFC 6749 appendix A.12 excludes, or when the ID token
 *   cannot be decrypted
 */
export async function readTokenAnswer(
  provider: ResolvedOAuthProvider,
  answer: TokenSet,
  now: number,
): Promise<TokenSet> {
  const { access_token, refresh_token, token_type, expires_in, id_token } = answer
  if (!(typeof access_token === 'string' || isWholeAnswer(provider, answer))) {
    throw new ProviderFault(`Provider "${provider.id}": the token answer has no access_token.`)
  }
  // A provider without DPoP ignores the proof. Its tokens could be used by whoever gets hold of them (RFC 9449 §5).
  if (provider.keys.dpop && String(token_type).toLowerCase() !== 'dpop') {
    throw new ProviderFault(`Provider "${provider.id}": it gave tokens that are not bound to the key of dpop.`)
  }
  if (!provider.keys.dpop && String(token_type).toLowerCase() === 'dpop') {
    throw new ProviderFault(
      `Provider "${provider.id}": it gave tokens that are bound to a key, and dpop is not configured.`,
    )
  }
  if (![access_token, refresh_token].every((token) => typeof token !== 'string' || VISIBLE.test(token))) {
    throw new ProviderFault(`Provider "${provider.id}": it gave tokens with characters that no token has.`)
  }
  return {
    ...answer,
    ...(provider.type === 'oidc' && typeof id_token === 'string'
      ? { id_token: await decryptToken(provider, id_token, 'id_token') }
      : {}),
    ...(typeof token_type === 'string' ? { token_type: token_type.toLowerCase() as Lowercase<string> } : {}),
    ...(expires_in !== undefined ? { expires_at: Math.floor(now / 1000) + Math.floor(expires_in) } : {}),
  }
}

/**
 * Whether an answer without an access token is enough. An ID token says who somebody is, and a provider that was asked for
 * nothing else may give nothing else, as Azure AD B2C does.
 */
const isWholeAnswer = ({ type }: ResolvedOAuthProvider, { access_token, id_token }: TokenSet): boolean =>
  type === 'oidc' && access_token === undefined && typeof id_token === 'string'

/** VSCHAR of RFC 6749 appendix A. An empty refresh token is none. */
const VISIBLE = /^[\x20-\x7e]*$/

/** A call to the token endpoint of a provider. */
interface TokenCall {
  readonly provider: ResolvedOAuthProvider
  /** Calls the provider, within the limits of {@link OAuthClient.channelOf}. */
  readonly fetch: typeof fetch
  /** Texts that must not appear in any error. Grows with what the provider sends. */
  readonly secrets: Set<string>
}

/** A token endpoint's answer. */
export interface Received {
  status: number
  /** Its usable members; null if it has none. */
  body: TokenSet | null
  /** The `Date` header of the answer; null if it has none. */
  date?: string | null
}

/**
 * The `fetch` for the token endpoint. It keeps the usable members of the answer, and shows them to the library, which needs
 * an access token and gets no ID token: `verifyIdToken` is the one check of ID tokens, those of tenants and encrypted ones
 * too.
 */
export function observe({ provider, fetch, secrets }: TokenCall, received: Received): typeof fetch {
  const noting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    received.status = response.status
    received.date = response.headers.get('date')
    return response
  }
  const endpoint = { ...provider.token, name: 'token endpoint', secrets }
  const ask = endpointFetch(noting, endpoint)
  return async (input, init) => {
    const response = await ask(input, init)
    // A clone would split the body into two streams, which costs more than everything else here.
    const text = await response.text()
    const body = parseObject(text)
    if (body === null) return new Response(text === '' ? null : text, response)
    received.body = usableMembers(body)
    const { id_token: _, ...shown } = received.body
    // Some providers report errors with the status 200.
    if (response.ok && typeof shown['error'] === 'string' && shown['access_token'] === undefined)
      throw answerFault(endpoint, response.status, wordsOfAnswer(text, null), init ?? {})
    const json = isWholeAnswer(provider, received.body) ? { ...shown, access_token: 'none' } : shown
    const { status } = response
    // The nonce for the next proof; the library tries once more with it (RFC 9449 §8).
    const nonce = response.headers.get('dpop-nonce')
    const headers: Record<string, string> = nonce === null ? {} : { 'dpop-nonce': nonce }
    // The library reads an error from a clone of the answer, so its body must be a real one.
    return status === 200 ? new ParsedAnswer(json, headers) : Response.json(json, { status, headers })
  }
}

/**
 * An answer of the status 200 whose JSON is known already. It has no body: to write a stream and read it again costs
 * more than all other work on the answer.
 */
class ParsedAnswer extends Response {
  readonly #value: unknown

  constructor(value: unknown, headers: Record<string, string>) {
    super(null, { headers: { 'content-type': 'application/json', ...headers } })
    this.#value = value
  }

  override json(): Promise<unknown> {
    return Promise.resolve(this.#value)
  }
}
