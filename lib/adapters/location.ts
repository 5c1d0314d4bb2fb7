import { isAbsoluteUrl } from '../shapes/is-absolute-url.js'
/**
 * A location without its secrets: scheme, host and path of a URL, or the path of a file.
 *
 * @returns null if a part of it may be a password, as in a URL whose password has a "/" that is not percent-encoded
 */
export function withoutSecrets(location: string): string | null {
  const file = /^(?:sqlite|file):(?!.*:\/\/)(?:\/\/)?(.*)$/is.exec(location)?.[1] ?? location
  if (!/^[a-z][a-z\d+.-]+:/i.test(file)) return isPlain(file) ? location : null
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(file) || !isAbsoluteUrl(file)) return null
  const { protocol, host, pathname, hash } = new URL(file)
  return isPlain(host) && isPlain(pathname) && hash === '' ? `${protocol}//${host}${pathname}` : null
}

/**
 * Whether a text has none of the characters that join the parts of URLs, of their queries and of connection strings.
 */
const isPlain = (text: string): boolean => !/[@=?#"'`\n]|:\/\/|^\s|\s$/.test(text)
