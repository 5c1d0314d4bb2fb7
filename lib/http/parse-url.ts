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
