import type { Loop } from '../../loop/hot-loop.js'
import { cookieHeader, createMint, SECRET, SESSION_COOKIE } from '../../loop/tokens.js'
import { loadDependency } from '../../subject.js'

interface CookieModule {
  parseCookie(header: string): Record<string, string | undefined>
}

/** What a guard would pay to turn a request of Node into web objects, and for its cookies. */
export async function webLoops(): Promise<Loop[]> {
  const { parseCookie } = await loadDependency<CookieModule>('cookie')
  const mint = await createMint(SECRET)
  const cookies = Array.from({ length: 64 }, (_, user) => cookieHeader(mint(user)))
  const cookieAt = (index: number) => cookies[index % cookies.length] ?? ''
  const url = 'http://127.0.0.1:3000/private?tab=1'
  const headers = (index: number) => ({
    host: '127.0.0.1:3000',
    accept: 'text/html',
    'accept-language': 'en-GB,en;q=0.9',
    'user-agent': 'Mozilla/5.0',
    cookie: cookieAt(index),
  })
  return [
    { name: 'new Request', run: (index) => new Request(url, { headers: headers(index) }) },
    { name: 'new Headers', run: (index) => new Headers(headers(index)) },
    { name: 'new Response', run: () => new Response('{}', { headers: { 'content-type': 'application/json' } }) },
    { name: 'new URL', run: (index) => new URL(`${url}&page=${index}`) },
    { name: 'cookie.parse, six cookies', run: (index) => parseCookie(cookieAt(index)) },
    { name: 'one cookie scanned for', run: (index) => scan(cookieAt(index), SESSION_COOKIE) },
  ]
}

/** The value of one cookie, found without looking at the others. */
function scan(header: string, name: string): string | undefined {
  for (let from = 0; ; ) {
    const at = header.indexOf(`${name}=`, from)
    if (at < 0) return undefined
    if (at === 0 || header[at - 1] === ' ' || header[at - 1] === ';') {
      const end = header.indexOf(';', at)
      return header.slice(at + name.length + 1, end < 0 ? undefined : end)
    }
    from = at + 1
  }
}
