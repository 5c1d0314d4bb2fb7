import type { Client } from '../../lib/http/incoming.js'
import type { RequestContext } from '../../lib/http/request-context.js'
import { parseCookies, type RequestCookies } from '../../lib/http/request-cookies.js'

/**
 * The context of a request that brings these cookies and nothing else.
 *
 * @param cookies the `Cookie` header, or the cookies by name
 */
export const requestContext = (
  cookies: string | RequestCookies | undefined,
  origin = 'http://localhost:3000',
  client?: Client,
): RequestContext => ({
  cookies: typeof cookies === 'object' ? cookies : parseCookies(cookies),
  client,
  origin,
  header: () => undefined,
})
