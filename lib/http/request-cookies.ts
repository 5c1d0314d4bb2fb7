import { parseCookie } from 'cookie'

/** The cookies of a request, decoded. Of several cookies with one name, the first counts. */
export type RequestCookies = Pick<ReadonlyMap<string, string>, 'get' | 'has' | 'keys' | typeof Symbol.iterator>

const NO_COOKIES: RequestCookies = new Map()

/** The cookies of a `Cookie` header. Malformed pairs are skipped. A value that cannot be decoded stays as it is. */
export const parseCookies = (header: string | undefined): RequestCookies =>
  header ? new HeaderCookies(header) : NO_COOKIES

/**
 * All values that a request brought under one name, the one that counts first. There are several if the cookies have other domains
 * or paths (RFC 6265 §5.4).
 */
export function valuesOf(cookies: RequestCookies, name: string): readonly string[] {
  if (cookies instanceof HeaderCookies) return cookies.valuesOf(name)
  const value = cookies.get(name)
  return value === undefined ? [] : [value]
}

/** What follows the name and a dot in the names of a request's other cookies, if it matches a form. */
export function suffixesOf(cookies: RequestCookies, { name }: { readonly name: string }, form: RegExp): string[] {
  if (cookies instanceof HeaderCookies && !cookies.hasSuffixOf(name)) return []
  const prefix = `${name}.`
  return [...cookies.keys()]
    .filter((each) => each.startsWith(prefix))
    .map((each) => each.slice(prefix.length))
    .filter((suffix) => form.test(suffix))
}

/**
 * Searches the header for a cookie, pair by pair, and parses the header only if that does not give the value: most
 * requests bring many cookies of others, and only one cookie is read.
 */
class HeaderCookies implements RequestCookies {
  readonly #header: string
  #parsed: ReadonlyMap<string, string> | undefined
  #pairs: readonly Readonly<Record<string, string | undefined>>[] | undefined

  constructor(header: string) {
    this.#header = header
  }

  get #all(): ReadonlyMap<string, string> {
    this.#parsed ??= new Map(Object.entries(parseCookie(this.#header) as Record<string, string>))
    return this.#parsed
  }

  /** Whether there is a cookie whose name is this name, a dot and more. */
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

  valuesOf(name: string): readonly string[] {
    this.#pairs ??= this.#header.split(';').map((pair) => parseCookie(pair))
    return this.#pairs.flatMap((pair) => pair[name] ?? [])
  }

  keys() {
    return this.#all.keys()
  }

  [Symbol.iterator]() {
    return this.#all[Symbol.iterator]()
  }

  /** The index of the first pair after `from` that begins with a text; -1 when there is none. */
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

/** Whether a value need not be decoded or trimmed. */
const isPlain = (value: string) =>
  !value.includes('%') && !isSpace(value.charCodeAt(0)) && !isSpace(value.charCodeAt(value.length - 1))

const EQUALS = 61
const DOT = 46
const isSpace = (code: number) => code === 32 || code === 9
