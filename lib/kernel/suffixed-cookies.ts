import { type CookieAttributes, type CookieChange, type CookieSpec, clearCookie } from './cookies.js'
import type { RequestCookies } from './request-cookies.js'

/**
 * The same cookie with a suffix to its name, as the pieces of a session token and the cookies of transactions have.
 *
 * @param more attributes that differ from those of the spec
 */
export function suffixed({ name, attributes }: CookieSpec, suffix: string, more: CookieAttributes = {}): CookieSpec {
  return { name: `${name}.${suffix}`, attributes: { ...attributes, ...more } }
}

/** A cookie of a request whose name has a suffix, and the change that deletes the cookie. */
export interface SuffixedCookie<Key extends string> {
  readonly key: Key
  readonly suffix: string
  readonly name: string
  readonly value: string
  readonly deletion: CookieChange
}

/**
 * The cookies of a request that have one of these keys and this suffix.
 *
 * @param attributes the attributes of the cookies that differ from the specs
 */
export function findSuffixed<Key extends string>(
  cookies: RequestCookies,
  specs: Readonly<Record<Key, CookieSpec>>,
  keys: readonly Key[],
  suffix: string,
  attributes: CookieAttributes = {},
): readonly SuffixedCookie<Key>[] {
  const found: SuffixedCookie<Key>[] = []
  for (const key of keys) {
    const name = `${specs[key].name}.${suffix}`
    const value = cookies.get(name)
    if (value === undefined) continue
    found.push({ key, suffix, name, value, deletion: clearCookie(suffixed(specs[key], suffix, attributes)) })
  }
  return found
}

/**
 * The cookies of a request that have one of these keys and a suffix of this form, in the order of the `Cookie` header.
 */
export function listSuffixed<Key extends string>(
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
