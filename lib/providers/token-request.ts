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
 * A `token.conform` hook that changes the JSON of an answer, for example if `token_type` is missing, or the tokens are in
 * another member. An answer that is not a JSON object is left unchanged.
 */
export function conformTokens(
  rewrite: (answer: Record<string, unknown>) => Record<string, unknown>,
): NonNullable<TokenEndpoint<unknown>['conform']> {
  return async (response) => {
    const json: unknown = await response.json().catch(() => null)
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
    return Response.json(rewrite(json as Record<string, unknown>), { status: response.status })
  }
}

/** A `token.conform` hook for answers without a `token_type`. */
export const nameBearer = conformTokens((answer) => ({ token_type: 'bearer', ...answer }))

/**
 * The JSON object in an answer.
 *
 * @throws {Error} when the status is not 2xx or the body is something else; the message holds nothing of the body
 */
export async function readJsonObject(answer: Response, endpoint: string): Promise<Record<string, unknown>> {
  if (!answer.ok) throw new Error(`The ${endpoint} answered with the status ${answer.status}.`)
  let json: unknown
  try {
    json = await answer.json()
  } catch {
    // The error of the parser quotes the body, which may have a token in it.
    throw new Error(`The ${endpoint} answered with something that is not JSON.`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Error(`The ${endpoint} answered with JSON that is not an object.`)
  }
  return json as Record<string, unknown>
}
