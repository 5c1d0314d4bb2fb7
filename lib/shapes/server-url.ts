import { isAbsoluteUrl } from './is-absolute-url.js'
/**
 * What is wrong with the URL of a server that has a user name and a password; null if nothing is. A `#`, `/` or `?` in the password
 * ends the address too early, and a `%` that encodes nothing makes it unreadable. The text ends a sentence, and has no part of the URL.
 */
export function serverUrlProblem(text: string): string | null {
  const url = isAbsoluteUrl(text) ? new URL(text) : null
  const isCut = url?.username === '' && url.password === '' && /@/.test(url.pathname + url.search + url.hash)
  if (url && !isCut && isEncoded(url.username) && isEncoded(url.password)) return null
  return 'is not a whole URL. In its user name and its password, encode every special character, as encodeURIComponent() does: %23 for #, %2F for /, %3F for ?, %25 for %.'
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
