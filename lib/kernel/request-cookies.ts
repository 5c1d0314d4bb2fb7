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

/** Whether there may be cookies whose names are this name, a dot and more. Most requests have none. */
export const mayHaveSuffixes = (cookies: RequestCookies, { name }: { readonly name: string }): boolean =>
  !(cookies instanceof HeaderCookies) || cookies.hasPairWith(`${name}.`)

/** What follows the name and a dot in the names of a request's other cookies, if it matches a form. */
export function suffixesOf(cookies: RequestCookies, spec: { readonly name: string }, form: RegExp): string[] {
  if (!mayHaveSuffixes(cookies, spec)) return []
  const prefix = `${spec.name}.`
  const names = cookies instanceof HeaderCookies ? cookies.namesWith(prefix) : [...cookies.keys()]
  return names
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

  hasPairWith(text: string): boolean {
    return this.#pairWith(text) >= 0
  }

  get(name: string): string | undefined {
    if (this.#parsed) return this.#parsed.get(name)
    const header = this.#header
    for (let start = this.#pairWith(name); start >= 0; start = this.#pairWith(name, start + 1)) {
      const from = start + name.length
      const next = header.charCodeAt(from)
      if (next === EQUALS) {
        const end = header.indexOf(';', from)
        const value = header.slice(from + 1, end < 0 ? header.length : end)
        const isPlain = !value.includes('%') && value.trim().length === value.length
        return isPlain ? value : parseCookie(`${name}=${value}`)[name]
      }
      if (next === SPACE || next === TAB) return this.#all.get(name)
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

  /** The names of cookies that begin with a text. Pairs of others are not parsed. */
  namesWith(text: string): readonly string[] {
    const pairs: string[] = []
    for (let start = this.#pairWith(text); start >= 0; start = this.#pairWith(text, start + 1)) {
      const end = this.#header.indexOf(';', start)
      pairs.push(this.#header.slice(start, end < 0 ? undefined : end))
    }
    return Object.keys(parseCookie(pairs.join(';')))
  }

  [Symbol.iterator]() {
    return this.#all[Symbol.iterator]()
  }

  /** The index of the first pair that begins with a text, at `from` or after it; -1 when there is none. */
  #pairWith(text: string, from = 0): number {
    let at = this.#header.indexOf(text, from)
    while (at > 0 && !this.#beginsPair(at)) at = this.#header.indexOf(text, at + 1)
    return at
  }

  /** Looks at the blanks before it only: a client chooses how often a name is in the header. */
  #beginsPair(at: number): boolean {
    for (let before = at - 1; before >= 0; before -= 1) {
      const code = this.#header.charCodeAt(before)
      if (code !== SPACE && code !== TAB) return code === SEMICOLON
    }
    return true
  }
}

const EQUALS = 61
const SEMICOLON = 59
const SPACE = 32
const TAB = 9
