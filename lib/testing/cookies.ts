import { parseSetCookie } from 'cookie'

/** One cookie of a browser, as `context.addCookies` of Playwright takes it. */
export interface TestCookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  readonly httpOnly: boolean
  readonly secure: boolean
  readonly sameSite: 'Strict' | 'Lax' | 'None'
  /** Seconds since the epoch; -1 for a cookie that ends with the browser. */
  readonly expires: number
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const

/** The cookies that an answer leaves in a browser; those that it deletes are left out. */
export function cookiesOf(answer: Response, origin: string): readonly TestCookie[] {
  const cookies = new Map<string, TestCookie>()
  for (const line of answer.headers.getSetCookie()) {
    const { name, value, ...given } = parseSetCookie(line)
    const expires = endOf(given)
    cookies.delete(name)
    if (value === undefined || value === '' || (expires !== -1 && expires <= Date.now() / 1000)) continue
    cookies.set(name, {
      name,
      value,
      domain: given.domain ?? new URL(origin).hostname,
      path: given.path ?? '/',
      httpOnly: given.httpOnly ?? false,
      secure: given.secure ?? false,
      sameSite: typeof given.sameSite === 'string' ? SAME_SITE[given.sameSite] : 'Lax',
      expires,
    })
  }
  return [...cookies.values()]
}

function endOf({ maxAge, expires }: { maxAge?: number | undefined; expires?: Date | undefined }): number {
  if (maxAge !== undefined) return Math.floor(Date.now() / 1000) + maxAge
  return expires === undefined ? -1 : Math.floor(expires.getTime() / 1000)
}

/** The header `Cookie` of requests with these cookies. */
export const headerOf = (cookies: readonly TestCookie[]): string =>
  cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')
