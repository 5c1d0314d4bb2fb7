import { isObject } from '../kernel/json-object.js'
import { present } from './oauth-provider.js'
import type {
  CustomFetch,
  TokenEndpoint,
  TokenRequestContext,
  TokenSet,
  UserinfoEndpoint,
  UserinfoRequestContext,
} from './provider-object.js'

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
    const given = present(form.parameters(context))
    const target = new URL(typeof url === 'function' ? url(context) : url)
    if (send === 'query') for (const [name, value] of Object.entries(given)) target.searchParams.set(name, value)
    const body = send === 'query' ? null : send === 'json' ? jsonBody(given) : formBody(given)
    const answer = await (context.fetch ?? fetch)(target.href, {
      method: body ? 'POST' : 'GET',
      headers: { accept: 'application/json', ...(body && { 'content-type': body.type }), ...form.headers },
      ...(body && { body: body.text }),
    })
    const json = await readJsonObject(answer, 'token endpoint')
    return { tokens: form.tokens ? form.tokens(json, context) : (json as TokenSet) }
  }
}

/**
 * A `token.conform` hook that changes the JSON of an answer, for example if the tokens are in another member. An answer that is
 * not a JSON object is left unchanged.
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
  const { scope, authorization_details } = answer
  const usable = {
    ...answer,
    access_token: answer['access_token'] || undefined,
    refresh_token: textIn(answer['refresh_token']),
    id_token: textIn(answer['id_token']),
    session_state: textIn(answer['session_state']),
    expires_in: positiveIn(answer['expires_in']),
    expires_at: positiveIn(answer['expires_at']),
    // An empty one says that nothing was granted.
    scope: Array.isArray(scope) ? scope.filter(textIn).join(' ') : typeof scope === 'string' ? scope : undefined,
    token_type: textIn(answer['token_type']) ?? 'bearer',
    authorization_details: Array.isArray(authorization_details) ? authorization_details : undefined,
  }
  return Object.fromEntries(Object.entries(usable).filter(([, member]) => member !== undefined)) as TokenSet
}

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

/** How a userinfo request differs from a GET with a bearer token. */
export interface UserinfoRequestForm<P> {
  url: string | ((context: UserinfoRequestContext<P>) => string)
  /** `POST` when there is a body, else `GET`. */
  method?: 'GET' | 'POST'
  headers?: Record<string, string> | ((context: UserinfoRequestContext<P>) => Record<string, string>)
  /** How the access token is sent: with a scheme of the `Authorization` header, or as a query parameter; null: not sent. */
  accessToken?: { scheme: string } | { parameter: string } | null
  /** A JSON body, such as a GraphQL query. */
  json?: unknown
  /** A form body. */
  form?: (context: UserinfoRequestContext<P>) => Record<string, string>
  /** Makes the profile of the answer. It may send further requests. */
  complete?: (
    answer: Record<string, unknown>,
    context: UserinfoRequestContext<P> & { fetch: CustomFetch },
  ) => P | Promise<P>
}

/**
 * A `userinfo.request` hook for providers that require another form of the request, or several requests.
 *
 * @throws {Error} from the hook, when the first answer is not a JSON object with a 2xx status
 */
export function userinfoRequest<P>(form: UserinfoRequestForm<P>): NonNullable<UserinfoEndpoint<P>['request']> {
  const { accessToken = { scheme: 'Bearer' } } = form
  return async (context) => {
    const send = context.fetch ?? fetch
    const url = new URL(typeof form.url === 'function' ? form.url(context) : form.url)
    const token = String(context.tokens.access_token)
    const headers: Record<string, string> = {
      accept: 'application/json',
      'user-agent': 'latchkey',
      ...(typeof form.headers === 'function' ? form.headers(context) : form.headers),
    }
    if (accessToken && 'scheme' in accessToken) headers.authorization = `${accessToken.scheme} ${token}`
    if (accessToken && 'parameter' in accessToken) url.searchParams.set(accessToken.parameter, token)
    const body = bodyOf(form, context)
    if (body) headers['content-type'] = body.type
    const answer = await send(url.href, {
      method: form.method ?? (body ? 'POST' : 'GET'),
      headers,
      ...(body ? { body: body.text } : {}),
    })
    const json = await readJsonObject(answer, 'userinfo endpoint')
    return form.complete ? form.complete(json, { ...context, fetch: send }) : (json as P)
  }
}

/** A userinfo endpoint with such a hook. */
export const userinfoEndpoint = <P>(form: UserinfoRequestForm<P> & { url: string }): UserinfoEndpoint<P> => ({
  url: form.url,
  request: userinfoRequest(form),
})

function bodyOf<P>({ json, form }: UserinfoRequestForm<P>, context: UserinfoRequestContext<P>) {
  if (json !== undefined) return jsonBody(json)
  if (form) return formBody(form(context))
  return null
}

const jsonBody = (value: unknown) => ({ type: 'application/json', text: JSON.stringify(value) })

const formBody = (fields: Record<string, string>) => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(fields).toString(),
})
