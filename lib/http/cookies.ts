import { parseCookie, stringifySetCookie } from 'cookie'
import { withoutUndefined } from '../shapes/without-undefined.js'

/** The cookies Latchkey uses, by the key that configures them. */
export type CookieKey =
  | 'sessionToken'
  | 'callbackUrl'
  | 'csrfToken'
  | 'pkceCodeVerifier'
  | 'state'
  | 'nonce'
  | 'webauthnChallenge'
  | 'emailRequest'

/** Attributes of a cookie, as RFC 6265bis §4.1.2 names them. */
export interface CookieAttributes {
  /** Seconds until the cookie expires. */
  maxAge?: number
  /** When the cookie expires; browsers prefer `maxAge`. */
  expires?: Date
  domain?: string
  path?: string
  httpOnly?: boolean
  secure?: boolean
  /** One cookie jar for each top-level site (CHIPS). */
  partitioned?: boolean
  /** Which cookies Chromium removes first. */
  priority?: 'low' | 'medium' | 'high'
  /** `true` is `'strict'`. */
  sameSite?: boolean | 'lax' | 'strict' | 'none'
}

/** Name and attributes of one cookie, as an application may override them. */
export interface CookieOption {
  name: string
  options: CookieAttributes
}

/** `config.cookies`: any cookie's name, and its attributes one by one. */
export type CookiesOptions = Record<CookieKey, Partial<CookieOption>>

/** Name and attributes of one cookie, resolved. */
export interface CookieSpec {
  readonly name: string
  readonly attributes: Readonly<CookieAttributes>
}

/** All cookies of one configuration under one scheme. */
export type CookieSpecs = Readonly<Record<CookieKey, CookieSpec>>

/** Cookies of a request, decoded, the first of equal names. */
export type RequestCookies = Pick<ReadonlyMap<string, string>, 'get' | 'has' | 'keys' | typeof Symbol.iterator>

/** One `Set-Cookie` to send: a value with its attributes, or an empty value with `maxAge` 0, which deletes. */
export interface CookieChange {
  readonly name: string
  readonly value: string
  readonly options: Readonly<CookieAttributes>
}

/** How long the one-time values of an authorization transaction count, in seconds. */
export const CHECK_LIFETIME_SECONDS = 15 * 60

/**
 * Names and attributes of all cookies, with the application's own over the defaults.
 *
 * @param secure whether the public origin is https: it decides the `__Secure-` and `__Host-` prefixes
 * @see RFC 6265bis §4.1.3 (prefixes)
 */
export function cookieSpecs(secure: boolean, custom: Partial<CookiesOptions> = {}): CookieSpecs {
  const prefix = secure ? '__Secure-' : ''
  // __Host- where there is https: no sibling host can plant a CSRF token, or a sign-in that it began itself. Browsers
  // refuse the prefix together with a domain or another path, and without Secure (RFC 6265bis §4.1.3.2).
  const hostPrefix = (key: CookieKey) => {
    const { domain, path = '/', secure: isSecure = secure } = custom[key]?.options ?? {}
    return !isSecure || !secure ? '' : domain || path !== '/' ? '__Secure-' : '__Host-'
  }
  const spec = (key: CookieKey, name: string, more: CookieAttributes = {}): CookieSpec => ({
    name: custom[key]?.name ?? name,
    attributes: {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure,
      ...more,
      ...withoutUndefined(custom[key]?.options),
    },
  })
  const oneTime = { maxAge: CHECK_LIFETIME_SECONDS }
  return {
    sessionToken: spec('sessionToken', `${prefix}authjs.session-token`),
    callbackUrl: spec('callbackUrl', `${prefix}authjs.callback-url`),
    csrfToken: spec('csrfToken', `${hostPrefix('csrfToken')}authjs.csrf-token`),
    pkceCodeVerifier: spec('pkceCodeVerifier', `${hostPrefix('pkceCodeVerifier')}authjs.pkce.code_verifier`, oneTime),
    state: spec('state', `${hostPrefix('state')}authjs.state`, oneTime),
    nonce: spec('nonce', `${hostPrefix('nonce')}authjs.nonce`, oneTime),
    webauthnChallenge: spec('webauthnChallenge', `${hostPrefix('webauthnChallenge')}authjs.challenge`, oneTime),
    emailRequest: spec('emailRequest', `${hostPrefix('emailRequest')}authjs.email-request`),
  }
}

const NO_COOKIES: RequestCookies = new Map()

/** The cookies of a `Cookie` header. Malformed pairs are skipped; a value that cannot be decoded is left as it is. */
export const parseCookies = (header: string | undefined): RequestCookies =>
  header ? new HeaderCookies(header) : NO_COOKIES

/** The suffixes of {@link suffixed} names that a request has cookies of, as far as they have a form. */
export function suffixesOf(cookies: RequestCookies, { name }: Pick<CookieSpec, 'name'>, form: RegExp): string[] {
  if (cookies instanceof HeaderCookies && !cookies.hasSuffixOf(name)) return []
  const prefix = `${name}.`
  return [...cookies.keys()]
    .filter((each) => each.startsWith(prefix))
    .map((each) => each.slice(prefix.length))
    .filter((suffix) => form.test(suffix))
}

/**
 * Looks for the one cookie that is asked for, pair by pair, and parses the header only where that is not simply there:
 * most requests bring cookies of others, and are asked for one.
 */
class HeaderCookies implements RequestCookies {
  readonly #header: string
  #parsed: ReadonlyMap<string, string> | undefined

  constructor(header: string) {
    this.#header = header
  }

  get #all(): ReadonlyMap<string, string> {
    this.#parsed ??= new Map(Object.entries(parseCookie(this.#header) as Record<string, string>))
    return this.#parsed
  }

  /** Whether there is a cookie whose name goes on with a dot after another one's. */
  hasSuffixOf(name: string) {
    for (let start = this.#pairWith(name); start >= 0; start = this.#pairWith(name, start + 1)) {
      if (this.#header.charCodeAt(start + name.length) === DOT) return true
    }
    return false
  }

  get(name: string): string | undefined {
    if (this.#parsed) return this.#parsed.get(name)
    const header = this.#header
    for (let start = this.#pairWith(name); start >= 0; start = this.#pairWith(name, start + 1)) {
      const from = start + name.length
      const next = header.charCodeAt(from)
      if (next === EQUALS) {
        const value = header.slice(from + 1, endOfPair(header, from))
        return isPlain(value) ? value : this.#all.get(name)
      }
      if (isSpace(next)) return this.#all.get(name)
    }
    return undefined
  }

  has(name: string) {
    return this.get(name) !== undefined
  }

  keys() {
    return this.#all.keys()
  }

  [Symbol.iterator]() {
    return this.#all[Symbol.iterator]()
  }

  /** Where the first pair begins that begins with a text, and not before a place; -1 when there is none. */
  #pairWith(text: string, from = 0): number {
    const header = this.#header
    for (let start = from === 0 ? 0 : endOfPair(header, from) + 1; start < header.length; ) {
      const begin = afterSpace(header, start)
      // Not startsWith(), which compares one character after the other.
      if (header.slice(begin, begin + text.length) === text) return begin
      start = endOfPair(header, begin) + 1
    }
    return -1
  }
}

function endOfPair(header: string, from: number): number {
  const end = header.indexOf(';', from)
  return end < 0 ? header.length : end
}

function afterSpace(header: string, from: number): number {
  let at = from
  while (isSpace(header.charCodeAt(at))) at += 1
  return at
}

/** Whether a value is what it says: nothing in it is encoded or has to be cut off. */
const isPlain = (value: string) =>
  !value.includes('%') && !isSpace(value.charCodeAt(0)) && !isSpace(value.charCodeAt(value.length - 1))

const EQUALS = 61
const DOT = 46
const isSpace = (code: number) => code === 32 || code === 9

/** Sets a cookie; `expires` and `maxAge` given here win over those of the spec. */
export function setCookie(
  { name, attributes }: CookieSpec,
  value: string,
  lifetime: Pick<CookieAttributes, 'expires' | 'maxAge'> = {},
): CookieChange {
  return { name, value, options: { ...attributes, ...lifetime } }
}

/** Deletes a cookie, with the attributes it was set with: a browser takes another path or domain for another cookie. */
export function clearCookie({ name, attributes }: CookieSpec): CookieChange {
  const { expires: _, ...kept } = attributes
  return { name, value: '', options: { ...kept, maxAge: 0 } }
}

/**
 * The same cookie under a longer name, as pieces of a session token and transactions have.
 *
 * @param more attributes that differ from those of the spec
 */
export function suffixed({ name, attributes }: CookieSpec, suffix: string, more: CookieAttributes = {}): CookieSpec {
  return { name: `${name}.${suffix}`, attributes: { ...attributes, ...more } }
}

/** A cookie that a request has under a longer name, and the change that deletes it. */
export interface SuffixedCookie<Key extends CookieKey> {
  readonly key: Key
  readonly suffix: string
  readonly name: string
  readonly value: string
  readonly deletion: CookieChange
}

/**
 * The cookies that a request has of these keys under one suffix.
 *
 * @param attributes what differs from the specs in the cookies as they were set
 */
export function findSuffixed<Key extends CookieKey>(
  cookies: RequestCookies,
  specs: Readonly<Record<Key, CookieSpec>>,
  keys: readonly Key[],
  suffix: string,
  attributes: CookieAttributes = {},
): readonly SuffixedCookie<Key>[] {
  const found: SuffixedCookie<Key>[] = []
  for (const key of keys) {
    const spec = suffixed(specs[key], suffix, attributes)
    const value = cookies.get(spec.name)
    if (value !== undefined) found.push({ key, suffix, name: spec.name, value, deletion: clearCookie(spec) })
  }
  return found
}

/** The cookies that a request has of these keys under any suffix of a form, in the order of the `Cookie` header. */
export function listSuffixed<Key extends CookieKey>(
  cookies: RequestCookies,
  specs: Readonly<Record<Key, CookieSpec>>,
  keys: readonly Key[],
  form: RegExp,
): readonly SuffixedCookie<Key>[] {
  const listed: SuffixedCookie<Key>[] = []
  for (const [name, value] of cookies) {
    for (const key of keys) {
      const prefix = `${specs[key].name}.`
      const suffix = name.slice(prefix.length)
      if (!name.startsWith(prefix) || !form.test(suffix)) continue
      listed.push({ key, suffix, name, value, deletion: clearCookie(suffixed(specs[key], suffix)) })
    }
  }
  return listed
}

/** One change per name: of several, the last wins and stands where it was made. */
export function mergeCookieChanges(changes: readonly CookieChange[]): readonly CookieChange[] {
  if (changes.length < 2) return changes
  const byName = new Map<string, CookieChange>()
  for (const change of changes) {
    byName.delete(change.name)
    byName.set(change.name, change)
  }
  return [...byName.values()]
}

/**
 * The value of a `Set-Cookie` header.
 *
 * @throws {TypeError} when a name, path or domain holds a character that would end it (CVE-2024-47764)
 */
export function serializeCookie({ name, value, options }: CookieChange): string {
  return stringifySetCookie({ ...options, name, value }, ENCODING)
}

/** A session token is long, and has nothing to be encoded. */
const ENCODING = { encode: (value: string) => (/[^\w.!~*'()-]/.test(value) ? encodeURIComponent(value) : value) }
