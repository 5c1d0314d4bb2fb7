import type { IncomingMessage } from 'node:http'
import type { NextRequest } from 'next/server.js'
import type { WebRequest, WebRequestFacts } from '../../web/index.js'
import { cookieHeader } from '../request-headers.js'
import { nextHeaders, nextServer } from './framework.js'
import { publicAddress } from './public-request.js'

/** A request as `latchkey/web` takes it. */
export interface Known {
  readonly request: WebRequest
  readonly facts: WebRequestFacts
}

type CookieStore = Awaited<ReturnType<Awaited<ReturnType<typeof nextHeaders>>['cookies']>>

/**
 * The request that code of the app router runs for, which is not handed to it, and its cookies.
 *
 * While Next.js makes a page in advance, this ends the making of what depends on the request, so it must come before
 * everything else, and nothing may catch what it throws.
 */
export async function currentRequest(): Promise<Known & { readonly store: CookieStore }> {
  const { headers, cookies } = await nextHeaders()
  const [given, store] = await Promise.all([headers(), cookies()])
  // After an action has set a cookie, the store has the new value and the header has the old one.
  return { request: { headers: new Headers(given) }, facts: { cookies: cookieHeader(store.getAll()) }, store }
}

/**
 * A request of the proxy or of a route handler.
 *
 * @param mount public path of the mount
 */
export async function webRequest(request: NextRequest, mount: string): Promise<Known> {
  const { NextRequest } = await nextServer()
  const { locale, defaultLocale } = request.nextUrl ?? {}
  const { url, basePath } = publicAddress(request, mount)
  // Without the locales, the path that the callback sees would begin with the locale.
  const i18n = defaultLocale ? { locales: [...new Set([locale || defaultLocale, defaultLocale])], defaultLocale } : null
  return {
    request: { headers: request.headers, method: request.method, signal: request.signal, url },
    facts: { toRequest: (plain) => new NextRequest(plain, { nextConfig: { basePath, i18n } }) },
  }
}

/** A request of the pages router. Next.js has completed its forwarded headers. */
export function nodeRequest({ headers: given, method = 'GET', socket }: IncomingMessage): Known {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) for (const each of [value ?? []].flat()) headers.append(name, each)
  const isSecure = socket !== undefined && 'encrypted' in socket
  return { request: { headers, method }, facts: isSecure ? { protocol: 'https' } : {} }
}
