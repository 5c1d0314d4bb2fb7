/**
 * Whether a text can be parsed as a URL by itself. `URL.canParse` of Node 20 denies it of a host that is not ASCII, once it was
 * called so often that it is compiled.
 */
export function isAbsoluteUrl(text: string): boolean {
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}

/** An absolute http(s) URL as it is; null for any other text. */
export const webUrlOf = (text: string): string | null =>
  isAbsoluteUrl(text) && /^https?:$/.test(new URL(text).protocol) ? text : null

/**
 * What is wrong with the URL of a server that has a user name and a password; null if nothing is. A `#`, `/` or `?` in the password
 * ends the address too early, and a `%` that encodes nothing makes it unreadable. The text ends a sentence, and has no part of the URL.
 */
export function serverUrlProblem(text: string): string | null {
  const url = isAbsoluteUrl(text) ? new URL(text) : null
  const isCut = url?.username === '' && url.password === '' && /@/.test(url.pathname + url.search + url.hash)
  if (url && !isCut && decodedText(url.username) !== null && decodedText(url.password) !== null) return null
  return 'is not a whole URL. In its user name and its password, encode every special character, as encodeURIComponent() does: %23 for #, %2F for /, %3F for ?, %25 for %.'
}

/** A parameter that stands in a query once; undefined if it stands there more often, or not at all. */
export function onlyParameter(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

/** The last entry of a list in a header, undefined if it is empty. The visitor may have written all before it: each proxy appends. */
export const lastEntry = (list: string | null): string | undefined => list?.split(',').at(-1)?.trim() || undefined

/** A text that is percent-encoded; null if it is badly encoded. */
export function decodedText(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The most that stands before the path: a scheme, and a host of 253 characters (RFC 1035 §2.3.4) with its port. */
const MAX_BEFORE_PATH = 300

/** Whatever a URL parser could read as scheme and authority. */
const BEFORE_PATH = /^[^/?#\\]*[/\\]*[^/?#\\]*/
const PATH = /^[/?#](?![/\\])/

/**
 * A URL that a visitor or a provider wrote; null for a text that is none. The time that a parser takes for a host of many
 * letters grows with the square of their number (RFC 3492 §6.3), so a text with such a host is not parsed.
 *
 * @param base for a text that may be relative
 */
export function parseUrl(text: string, base?: string): URL | null {
  // A parser removes these, so that what seems to be a path may be a host. No URL needs them.
  if (/[\t\n\r]/.test(text)) return null
  if (!PATH.test(text) && (BEFORE_PATH.exec(text)?.[0].length ?? 0) > MAX_BEFORE_PATH) return null
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
