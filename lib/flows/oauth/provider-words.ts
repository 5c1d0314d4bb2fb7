import { printable } from '../../logging/printable.js'
import { isObject, parseObject } from '../../shapes/json-object.js'

/** What an answer says of an error. */
export interface ErrorWords {
  /** `error`, if it is a code: words of letters (RFC 6749 §4.1.2.1); null otherwise. */
  readonly code: string | null
  /** `error_description`, or an `error` that is a sentence; empty if there is none. */
  readonly text: string
}

/** Texts that must not be logged. */
type Secrets = Iterable<string | undefined>

/** The most characters of an answer that are read, and of a description that is logged. */
const MOST_READ = 2000
const MOST_SHOWN = 400
/** The most values of a list that are logged. */
const MOST_VALUES = 5

/** A code as it may be logged and compared: a token has digits, or is longer than a word. */
const CODE = /^[A-Za-z]{1,24}([_.-][A-Za-z]{1,24}){0,5}$/

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

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
  // The end of a long text is left out as a whole word: half a secret would not be found.
  const read = text.length > MOST_READ ? `${text.slice(0, text.lastIndexOf(' ', MOST_READ) + 1)}…` : text
  return shown(withoutTokens(blackOut(read, secrets)).replace(ADDRESS, '[hidden]'))
}

/** A value, or the values of a list, for a line of the log: short, on one line, and texts in quotation marks. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return value.slice(0, MOST_VALUES).map(shown).join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const cut = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  return printable(typeof value === 'string' ? JSON.stringify(cut) : cut)
}

/** What an answer says, as the end of a sentence in the log; empty if it says nothing. `occurrences.ts` knows the form. */
export const saying = ({ text }: ErrorWords, secrets: Secrets): string =>
  text === '' ? '' : `, and says: ${quoted(text, secrets)}`

/** Replaces secrets in a text: as they are, and as they are in URLs and in forms. */
export function blackOut(text: string, secrets: Secrets): string {
  let clean = text
  for (const secret of secrets) {
    // Very short texts occur in ordinary words, and no secret is that short.
    if (secret === undefined || secret.length < 4) continue
    const inForms = new URLSearchParams({ '': secret }).toString().slice(1)
    for (const form of [secret, encodeURIComponent(secret), inForms]) clean = clean.replaceAll(form, '[hidden]')
  }
  return clean
}

/** Replaces what looks like a token: long, in one word, with a digit. The ids by which a provider finds its own log stay. */
const withoutTokens = (text: string): string =>
  text.replace(/[\w.~+/=-]{24,}/g, (word) => {
    const isTokenLike = word.split(/[/.]/).some((part) => part.length >= 24 && /\d/.test(part) && /[a-z]/i.test(part))
    return isTokenLike && !UUID.test(word) ? '[hidden]' : word
  })

/** An e-mail address, as providers name people. */
const ADDRESS = /[^\s"'<>@]{1,64}@[\w.-]{1,255}/g

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Parameters of a request that are no secrets; a description may repeat them. */
const PUBLIC =
  /^(acr_values|audience|client_(id|assertion_type)|code_challenge_method|grant_type|max_age|prompt|redirect_uri|resource|response_(mode|type)|scope|token_type_hint)$/

/** The texts of a request that an answer to it may repeat and a log must not have. */
export function secretsSent({ body, headers }: Pick<RequestInit, 'body' | 'headers'>): string[] {
  const text = typeof body === 'string' || body instanceof URLSearchParams ? String(body) : ''
  const fields = Object.entries(parseObject(text) ?? Object.fromEntries(new URLSearchParams(text)))
  const [, credentials = ''] = (new Headers(headers).get('authorization') ?? '').split(' ')
  const secrets = fields.filter(([name]) => !PUBLIC.test(name)).map(([, value]) => String(value))
  return [credentials, ...secrets]
}
