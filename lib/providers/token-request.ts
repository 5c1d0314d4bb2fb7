import { isObject } from '../kernel/json-object.js'
import type { TokenEndpoint, TokenRequestContext, TokenSet } from './provider.js'

/** How a token request differs from RFC 6749 §4.1.3. */
export interface TokenRequestForm<P> {
  url: string | ((context: TokenRequestContext<P>) => string)
  /** All parameters of the request. Latchkey adds none. */
  parameters: (context: TokenRequestContext<P>) => Record<string, string | undefined>
  /** Where the parameters go; the body as a form by default. */
  send?: 'form' | 'json' | 'query'
  headers?: Record<string, string>
  /** The tokens in the answer's JSON; the JSON itself by default. */
  tokens?: (answer: Record<string, unknown>, context: TokenRequestContext<P>) => TokenSet
}

/**
 * A `token.request` hook for providers that require another form of the request: GET, JSON, or other names for credentials.
 *
 * @throws {Error} from the hook, when the answer is not a JSON object with a 2xx status
 */
export function tokenRequest<P>(form: TokenRequestForm<P>): NonNullable<TokenEndpoint<P>['request']> {
  const { url, send = 'form' } = form
  return async (context) => {
    const given = Object.entries(form.parameters(context)).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    )
    const target = new URL(typeof url === 'function' ? url(context) : url)
    if (send === 'query') for (const [name, value] of given) target.searchParams.set(name, value)
    const bodies = {
      form: () => new URLSearchParams(given).toString(),
      json: () => JSON.stringify(Object.fromEntries(given)),
    }
    const types = { form: 'application/x-www-form-urlencoded', json: 'application/json' }
    const answer = await (context.fetch ?? fetch)(target.href, {
      method: send === 'query' ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(send === 'query' ? {} : { 'content-type': types[send] }),
        ...form.headers,
      },
      ...(send === 'query' ? {} : { body: bodies[send]() }),
    })
    const json = await readJsonObject(answer, 'token endpoint')
    return { tokens: form.tokens ? form.tokens(json, context) : (json as TokenSet) }
  }
}

/**
 * A `token.conform` hook that changes the JSON of an answer, for example if the tokens are in another member. An answer that is not a JSON object is left unchanged.
 */
export function conformTokens(
  rewrite: (answer: Record<string, unknown>) => Record<string, unknown>,
): NonNullable<TokenEndpoint<unknown>['conform']> {
  return async (response) => {
    const json: unknown = await response.json().catch(() => null)
    return isObject(json) ? Response.json(rewrite(json), { status: response.status }) : undefined
  }
}

/**
 * An answer of the token endpoint without optional members that are null, empty, or not what RFC 6749 §5.1 says: many
 * providers write them where they have nothing to say. An answer that does not name the type of its token is of a bearer
 * token. A lifetime of zero stands for a token that does not expire.
 */
export function usableMembers(answer: Readonly<Record<string, unknown>>): TokenSet {
  const { scope, token_type, authorization_details } = answer
  const usable = {
    ...answer,
    ...Object.fromEntries(TEXTS.map((name) => [name, textIn(answer[name])])),
    ...Object.fromEntries(NUMBERS.map((name) => [name, positiveIn(answer[name])])),
    access_token: answer['access_token'] || undefined,
    // An empty one says that nothing was granted.
    scope: Array.isArray(scope) ? scope.filter(textIn).join(' ') : typeof scope === 'string' ? scope : undefined,
    token_type: textIn(token_type) ?? 'bearer',
    authorization_details: Array.isArray(authorization_details) ? authorization_details : undefined,
  }
  return Object.fromEntries(Object.entries(usable).filter(([, member]) => member !== undefined)) as TokenSet
}

const TEXTS = ['refresh_token', 'id_token', 'session_state']
const NUMBERS = ['expires_in', 'expires_at']
const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const positiveIn = (value: unknown): number | undefined => {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
  return Number.isFinite(number) && number > 0 ? number : undefined
}

/** A `token.conform` hook that does so, too. Latchkey does it for every answer; with the hook, the entry works in Auth.js. */
export const conformToUsable = conformTokens((answer) => ({ ...usableMembers(answer) }))

/**
 * The JSON object in an answer.
 *
 * @throws {Error} when the status is not 2xx or the body is something else; the message holds nothing of the body. A
 *   status of 500 or more is told apart, as an outage
 */
export async function readJsonObject(answer: Response, endpoint: string): Promise<Record<string, unknown>> {
  if (!answer.ok) {
    const failure = new Error(`The ${endpoint} answered with the status ${answer.status}.`)
    // Not the class of that name, because it would be loaded with every provider.
    throw answer.status < 500 ? failure : Object.assign(failure, { name: 'BackChannelError', code: 'failing' })
  }
  let json: unknown
  try {
    json = await answer.json()
  } catch {
    // The error of the parser quotes the body, which may have a token in it.
    throw new Error(`The ${endpoint} answered with something that is not JSON.`)
  }
  if (isObject(json)) return json
  throw new Error(`The ${endpoint} answered with JSON that is not an object.`)
}
