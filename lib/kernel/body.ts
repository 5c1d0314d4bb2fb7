import { isUtf8 } from 'node:buffer'
import { RequestRefused } from './errors.js'
import { decodedText } from './urls.js'

/** Larger bodies are refused: every form of ours is far smaller. */
export const BODY_LIMIT_BYTES = 64 * 1024

/** The fields of a submitted form or JSON object. The object has no prototype, so a field can have any name. */
export type BodyFields = Readonly<Record<string, unknown>>

export const NO_FIELDS: BodyFields = Object.freeze(Object.create(null) as Record<string, unknown>)

// Names with brackets and dots count as well, because an application may build objects from them.
const POLLUTING = /(?:^|[[.])(?:__proto__|constructor|prototype)(?:$|[\].[])/
const MAX_DEPTH = 16

/** The kind of a body. */
type BodyKind = 'form' | 'json' | 'none'

const MAX_MEDIA_TYPE = 200
/**
 * A media type with its parameters (RFC 9110 §8.3.1). Parsers leave every other text alone, and then nothing before the mount,
 * such as a limit for each account, sees the fields. For that reason, an empty parameter and a tab are refused, too.
 */
const MEDIA_TYPE =
  /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)((?: *; *[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[ !#-[\]-~]*"))*) *$/
const CHARSET = /; *charset="?([^"; ]*)/g
const CHARSETS: ReadonlySet<string | undefined> = new Set(['utf-8', 'utf8', 'us-ascii'])

/**
 * The kind of a body by its `Content-Type`.
 *
 * @throws {RequestRefused} 415 for any other type: a page of another site can send `text/plain` without asking
 *   (CSRF-05)
 */
export function bodyKind(contentType: string | undefined, isEmpty: boolean): BodyKind {
  const given = contentType === undefined || contentType.length > MAX_MEDIA_TYPE ? '' : contentType.toLowerCase()
  const [, type, parameters = ''] = MEDIA_TYPE.exec(given) ?? []
  if ([...parameters.matchAll(CHARSET)].some(([, charset]) => !CHARSETS.has(charset))) {
    throw new RequestRefused(415, 'The charset of a body must be UTF-8.')
  }
  if (type === 'application/json') return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (isEmpty) return 'none'
  throw new RequestRefused(415, 'A body must be application/json or application/x-www-form-urlencoded.')
}

/**
 * The fields of a raw body.
 *
 * @throws {RequestRefused} 400 when it is malformed, repeats a field, or contains NUL; 413 when it is too large
 */
export function parseBody(text: string, kind: BodyKind): BodyFields {
  if (Buffer.byteLength(text) > BODY_LIMIT_BYTES) throw tooLarge()
  if (kind === 'none' || text === '') return NO_FIELDS
  return kind === 'json' ? checkFields(parseJson(text), 'json') : parseForm(text)
}

/** The fields of a body that the application's own parser has read. The same rules apply to them. */
export function checkFields(parsed: unknown, kind: BodyKind): BodyFields {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new RequestRefused(400, 'A body must be an object.')
  }
  refuseUnsafe(parsed, 0)
  const fields = Object.assign(Object.create(null) as Record<string, unknown>, parsed)
  if (kind === 'form' && Object.values(fields).some(Array.isArray)) throw repeatedParameter()
  return fields
}

/**
 * The parameters of a query or form text, each at most once.
 *
 * @throws {RequestRefused} 400 when one is repeated, badly encoded, or contains NUL
 */
export function parseForm(text: string): BodyFields {
  const pairs = wellFormedPairs(text)
  if (hasRepeatedNames(pairs)) throw repeatedParameter()
  return withoutPrototype(pairs)
}

const withoutPrototype = (pairs: Iterable<readonly [string, unknown]>): BodyFields =>
  Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(pairs))

/**
 * The text fields of a form that a framework has read, each at most once, as {@link parseForm} reads them from a text. A
 * file is no field: the forms of the mount have none.
 *
 * @throws {RequestRefused} 400 when a name is repeated: another reader of the form could take the other value
 */
export function fieldsOfForm(form: Iterable<readonly [string, unknown]>): BodyFields {
  const pairs = [...form]
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw repeatedParameter()
  return withoutPrototype(pairs.filter(([, value]) => typeof value === 'string'))
}

/** Whether a name is repeated: another reader of the pairs could take the other value. */
export function hasRepeatedNames(pairs: URLSearchParams, ours?: ReadonlySet<string>): boolean {
  const names = [...pairs.keys()].filter((name) => ours?.has(name) ?? true)
  return new Set(names).size < names.length
}

/**
 * The text of a raw body.
 *
 * @throws {RequestRefused} 400 when it is not UTF-8: a replaced character would be another password
 */
export function decodeBody(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new RequestRefused(400, 'The body is not UTF-8.')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** @throws {RequestRefused} 415 for a compressed body: its size is not known before it is decompressed */
export function refuseCompressed(contentEncoding: string | undefined): void {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new RequestRefused(415, 'A body must not be compressed, unless the application reads it first.')
  }
}

/**
 * The pairs of a form text, with repeated names. The encoding and the name of each pair are checked.
 *
 * @param ours the names that are read; the pairs of other names are left out if their values are badly encoded
 */
export function wellFormedPairs(text: string, ours?: ReadonlySet<string>): URLSearchParams {
  // URLSearchParams never fails: it keeps a broken escape as it is, and replaces bytes that are not UTF-8. So both are
  // searched for first.
  const pairs = new URLSearchParams(isDecodable(text) ? text : withoutBadValues(text, ours))
  for (const [name, value] of pairs) {
    checkName(name)
    if (value.includes('\0')) throw nul()
  }
  return pairs
}

function withoutBadValues(text: string, ours: ReadonlySet<string> | undefined): string {
  const isKept = (pair: string) => {
    const [name = ''] = pair.split('=', 1)
    return isDecodable(pair) || !isDecodable(name) || (ours?.has(decodeURIComponent(name)) ?? true)
  }
  const kept = text.split('&').filter(isKept).join('&')
  if (!isDecodable(kept)) throw new RequestRefused(400, 'The percent-encoding is broken.')
  return kept
}

const isDecodable = (text: string): boolean => decodedText(text) !== null

export const tooLarge = () => new RequestRefused(413, `A body may have ${BODY_LIMIT_BYTES} bytes at most.`)
export const repeatedParameter = () => new RequestRefused(400, 'A parameter was given more than once.')
const nul = () => new RequestRefused(400, 'A NUL character is not allowed.')
/** An escape of JSON may be half of a surrogate pair, and all halves have the same bytes. */
const notUnicode = () => new RequestRefused(400, 'A text with half of a surrogate pair is not allowed.')

function checkName(name: string): void {
  if (name.includes('\0')) throw nul()
  if (!name.isWellFormed()) throw notUnicode()
  if (POLLUTING.test(name)) throw new RequestRefused(400, 'A parameter has a name that is not allowed.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestRefused(400, 'The body is not valid JSON.')
  }
}

function refuseUnsafe(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw nul()
    if (!value.isWellFormed()) throw notUnicode()
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw new RequestRefused(400, 'The body is nested too deeply.')
  for (const [name, member] of Object.entries(value)) {
    checkName(name)
    refuseUnsafe(member, depth + 1)
  }
}
