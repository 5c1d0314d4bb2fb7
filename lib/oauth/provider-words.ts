import { isObject, parseObject, textOf } from '../kernel/json-object.js'
import { printableStart } from '../kernel/printable.js'

/** What an answer says of an error. */
export interface ErrorWords {
  /** `error`, if it is a code: words of letters (RFC 6749 §4.1.2.1); null otherwise. */
  readonly code: string | null
  /** `error_description`, or an `error` that is a sentence; empty if there is none. */
  readonly text: string
}

/** Texts that must not be logged. */
type Secrets = Iterable<string | undefined>

/** The most characters of an answer or a message that are read, and of a description that is logged. */
const MOST_READ = 2000
const MOST_SHOWN = 400
/** The most values of a list that are logged. */
const MOST_VALUES = 5
/** The most values of an object that are looked at for texts. */
const MOST_TEXTS = 1000
/** Stands for `[hidden]` until all secrets are replaced: a text does not grow, and no secret is a part of the word. */
const MARK = '\0'

/** A code as it may be logged and compared: a token has digits, or is longer than a word. */
const CODE = /^[A-Za-z]{1,24}([_.-][A-Za-z]{1,24}){0,5}$/

/** The words of an error and its description. An `error` that is no code is a description, as at Pocket ID. */
export function errorWords(error: unknown, description: unknown): ErrorWords {
  const code = textOf(error)
  if (CODE.test(code)) return { code, text: textOf(description) }
  return { code: null, text: [code, textOf(description)].filter(Boolean).join(': ') }
}

/**
 * The words of an error answer from server to server: in its body (RFC 6749 §5.2; `message` at many an API), or else in its
 * challenge (RFC 6750 §3).
 *
 * @param challenge the header `WWW-Authenticate`; null if there is none
 */
export function wordsOfAnswer(body: string, challenge: string | null): ErrorWords {
  const answer = parseObject(body) ?? {}
  // Those of Facebook and Google are objects.
  const inner = isObject(answer['error']) ? answer['error'] : answer
  const error = inner === answer ? answer['error'] : inner['type']
  const words = errorWords(error, answer['error_description'] ?? inner['message'])
  if (words.code !== null || words.text !== '' || challenge === null) return words
  const parameter = (name: string) => new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(challenge.slice(0, MOST_READ))?.[1]
  return errorWords(parameter('error'), parameter('error_description'))
}

/**
 * A text that somebody else wrote, for a line of the log: short, on one line, in quotation marks, and without secrets. A visitor
 * may have written it, and a provider may repeat what it was sent.
 *
 * @param secrets texts that must not appear
 */
export function quoted(text: string, secrets: Secrets): string {
  return shown(withoutTokens(blackOut(text, secrets)))
}

/** A value, or the values of a list, for a line of the log: short, on one line, and texts in quotation marks. It never throws. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const inList = (each: unknown) => (Array.isArray(each) ? 'a list' : shown(each))
  if (Array.isArray(value)) return value.slice(0, MOST_VALUES).map(inList).join(', ')
  if (typeof value !== 'string') return isObject(value) ? 'an object' : String(value)
  const cut = value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value
  return printableStart(JSON.stringify(cut), 2 * MOST_SHOWN)
}

/**
 * What an answer says, as the end of a sentence in the log; empty if it says nothing. `withoutNumbers` of `kernel/repeats.ts`
 * knows the form.
 */
export const saying = ({ text }: ErrorWords, secrets: Secrets): string =>
  text === '' ? '' : `, and says: ${quoted(text, secrets)}`

/**
 * Replaces secrets and e-mail addresses in a text, and leaves out its end if it is long. It never throws, because it runs where an
 * error is handled.
 */
export function blackOut(text: string, secrets: Secrets): string {
  // The end is left out as a whole word: half a secret would not be found.
  let clean = text.length > MOST_READ ? `${text.slice(0, text.lastIndexOf(' ', MOST_READ) + 1)}…` : text
  // Very short texts occur in ordinary words, and no secret is that short.
  const found = [...secrets].filter((each) => each !== undefined && each.length >= 4 && each.length <= clean.length)
  // One text may be a part of another, whose rest would stay.
  for (const secret of (found as string[]).sort((one, other) => other.length - one.length))
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, MARK)
  return clean.replace(WORD, (word) => (ADDRESS.test(word) ? MARK : word)).replaceAll(MARK, '[hidden]')
}

/** A secret as it is, and as it is in URLs, in forms, and in JSON. */
function formsOf(secret: string): Set<string> {
  // Half a character of two halves has no form in a URL.
  const whole = secret.toWellFormed()
  const encoded = [encodeURIComponent(whole), new URLSearchParams({ '': whole }).toString().slice(1)]
  const small = encoded.map((form) => form.replace(/%../g, (byte) => byte.toLowerCase()))
  const inJson = JSON.stringify(secret).slice(1, -1)
  return new Set([
    secret,
    whole,
    ...encoded,
    ...small,
    ...[secret, inJson].flatMap((form) => [form, form.replaceAll('/', '\\/')]),
  ])
}

/** The texts inside a value, and its numbers as texts: the outer ones first, and not more than {@link MOST_TEXTS} values. */
export function textsIn(value: unknown): string[] {
  const values = [value]
  const texts: string[] = []
  for (const each of values) {
    if (typeof each === 'string' || typeof each === 'number') texts.push(String(each))
    else if (typeof each === 'object' && each !== null)
      values.push(...Object.values(each).slice(0, MOST_TEXTS - values.length))
  }
  return texts
}

/** Replaces what looks like a token: long, in one word, with a digit. The ids by which a provider finds its own log stay. */
const withoutTokens = (text: string): string =>
  text.replace(/[\w.~+/=-]{24,}/g, (word) => {
    const isTokenLike = word.split(/[/.]/).some((part) => part.length >= 24 && /\d/.test(part) && /[a-z]/i.test(part))
    return isTokenLike && !UUID.test(word) ? '[hidden]' : word
  })

/** A word, which may have an apostrophe inside, as O'Neil has. */
const WORD = /[^\s"'<>/]+(?:'[^\s"'<>/]+)*/g
/** What the word of an e-mail address has, also in a URL, in HTML and in JSON. */
const ADDRESS = /[^@](?:[@\uff20]|%(?:25)*40|&#0*64;|&commat;|\\u0040)[\p{L}\p{N}[]/iu

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Parameters of a request that are no secrets; a description may repeat them. */
const PUBLIC =
  /^(acr_values|audience|client_(id|assertion_type)|code_challenge_method|grant_type|max_age|prompt|redirect_uri|resource|response_(mode|type)|scope|token_type_hint)$/

/** The texts of a request that an answer to it may repeat and a log must not have. */
export function secretsSent({ body, headers }: Pick<RequestInit, 'body' | 'headers'>): string[] {
  const text = typeof body === 'string' || body instanceof URLSearchParams ? String(body) : ''
  const fields = Object.entries(parseObject(text) ?? Object.fromEntries(new URLSearchParams(text)))
  const [, credentials = ''] = (new Headers(headers).get('authorization') ?? '').split(' ')
  // Those of Basic are the client and its secret, as in a form (RFC 6749 §2.3.1).
  const [, ...password] = Buffer.from(credentials, 'base64').toString().split(':')
  const secrets = fields.filter(([name]) => !PUBLIC.test(name)).flatMap(([, value]) => textsIn(value))
  return [credentials, password.join(':'), ...secrets]
}
