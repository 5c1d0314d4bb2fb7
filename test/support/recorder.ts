import { decode, encode } from '@auth/core/jwt'
import type { AuthConfig } from '../../lib/index.js'
import { SECRET } from './app.js'

/** One call of a callback or an event: its name and what it was given, without what is random. */
export type Call = readonly [name: string, given: unknown]

/** What an app's callbacks do besides being recorded. */
export interface Behaviour {
  // biome-ignore lint/suspicious/noExplicitAny: the same behaviour is given to two packages
  [callback: string]: (params: any) => any
}

const ALWAYS: Behaviour = {
  signIn: () => true,
  redirect: ({ url, baseUrl }) => (url.startsWith('/') ? baseUrl + url : url.startsWith(baseUrl) ? url : baseUrl),
  jwt: ({ token }) => token,
  session: ({ session }) => session,
}
const EVENTS = ['signIn', 'signOut', 'session', 'createUser', 'updateUser', 'linkAccount'] as const

/** A configuration whose callbacks, events and codec all write down that they were called, and with what. */
export function recording(calls: Call[], behaviour: Behaviour = {}): Partial<AuthConfig> {
  const note = (name: string, given: unknown) => void calls.push([name, steady(given)])
  const callbacks = Object.fromEntries(
    Object.entries({ ...ALWAYS, ...behaviour }).map(([name, work]) => [
      name,
      (params: unknown) => {
        note(name, params)
        return work(params)
      },
    ]),
  )
  const events = Object.fromEntries(EVENTS.map((name) => [name, (message: unknown) => note(`event ${name}`, message)]))
  return {
    callbacks,
    events,
    secret: SECRET,
    logger: { error: () => {}, warn: () => {}, debug: () => {} },
    jwt: {
      encode: ({ token, secret, maxAge, salt }) => {
        // The one claim that only Latchkey writes.
        const { latchkey: _, ...claims } = token ?? {}
        note('encode', { token: claims, secret, maxAge, salt })
        return encode({ token: token ?? {}, secret, salt, ...(maxAge !== undefined && { maxAge }) })
      },
      decode: ({ secret, maxAge, salt, token }) => {
        note('decode', { secret, maxAge, salt })
        return decode({ token: token ?? '', secret, salt }) as never
      },
    },
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const COMPACT = /^[\w-]+\.[\w-]*\.[\w-]*(\.[\w-]*){0,2}$/
const TIMES = new Set(['iat', 'exp', 'expires_at', 'auth_time'])

/** A value as JSON would carry it, with ids, times and tokens replaced by their kind. */
export function steady(value: unknown, key = ''): unknown {
  if (value instanceof Request) return { request: `${value.method} ${new URL(value.url).pathname}` }
  if (value instanceof Date) return '<time>'
  if (Array.isArray(value)) return value.map((member) => steady(member))
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    return Object.fromEntries(members.map(([name, member]) => [name, steady(member, name)]))
  }
  if (TIMES.has(key) && typeof value === 'number') return '<time>'
  if (typeof value !== 'string') return value
  if (key === 'nonce') return '<nonce>'
  if (UUID.test(value)) return '<id>'
  if (ISO.test(value)) return '<time>'
  if (COMPACT.test(value) && value.length > 80) return '<token>'
  return value
}
