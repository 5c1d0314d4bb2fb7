import type { CustomFetch, UserinfoEndpoint, UserinfoRequestContext } from './provider.js'
import { readJsonObject } from './token-request.js'

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
  if (json !== undefined) return { type: 'application/json', text: JSON.stringify(json) }
  if (form) return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(form(context)).toString() }
  return null
}
