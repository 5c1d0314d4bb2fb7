import { parseObject } from '../kernel/json-object.js'
import type { ResolvedOAuthProvider, TokenSet } from '../providers/provider.js'
import { usableMembers } from '../providers/request-hooks.js'
import { answerFault, endpointFetch } from './endpoint-fetch.js'
import { wordsOfAnswer } from './provider-words.js'
import { isWholeAnswer } from './token-answer.js'

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
