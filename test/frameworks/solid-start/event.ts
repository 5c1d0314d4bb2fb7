import type { MiddlewareEvent } from '../../../lib/frameworks/solid-start/index.js'

/** An event of SolidStart 2, whose URL has the origin that its server made up. */
export function event(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = new Request(`http://inner:3000${path}`, { method, headers })
  return { request, response: { headers: new Headers() }, locals: {} } satisfies MiddlewareEvent
}

/** The `Cookie` header of a browser that got an answer. */
export const cookiesFrom = (headers: Headers): string =>
  headers
    .getSetCookie()
    .filter((cookie) => !/max-age=0/i.test(cookie))
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')

/** The headers of an event of SolidStart 1, which stand for those of Node's answer. */
export function nodeHeaders(): Headers {
  const values = new Map<string, string[]>()
  const stand: Pick<Headers, 'get' | 'set' | 'delete' | 'append'> & { getSetCookie(): unknown[]; keys(): unknown } = {
    get: (name) => values.get(name.toLowerCase())?.join(', ') ?? null,
    set: (name, value) => values.set(name.toLowerCase(), [value]),
    delete: (name) => values.delete(name.toLowerCase()),
    append: (name, value) => values.set(name.toLowerCase(), [...(values.get(name.toLowerCase()) ?? []), value]),
    getSetCookie: () => values.get('set-cookie') ?? [undefined],
    keys: () => values.keys(),
  }
  return stand as Headers
}
