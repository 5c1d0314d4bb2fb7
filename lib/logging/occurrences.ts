import { memberOf, textOf } from '../errors.js'
import { chainOf, dataText, framesOf } from './console-lines.js'
import type { Occurrence } from './repeats.js'
import type { WarningCode } from './warning-sentences.js'

/** Characters of a text that are compared. */
const MAX_KEY = 1000

/**
 * What distinguishes one fault from another. The kind depends on the code alone: names and codes of the error and of
 * its causes, the provider, and where the first error was thrown. The messages are the detail, since they may repeat
 * what a visitor sent. Codes that a provider can make up count for nothing. Numbers such as ports and times, and addresses, are
 * ignored: a store that is down is one fault.
 */
export function ofFault(error: Error, provider: string | undefined): Occurrence {
  const chain = chainOf(error)
  const codeOf = (each: Error) => (memberOf(each, 'isCodeListed') === false ? '' : textOf(each, 'code'))
  const kind = chain.map((each) => `${textOf(each, 'name')} ${codeOf(each)}`)
  const detail = chain.map((each) => withoutNumbers(textOf(each, 'message').slice(0, MAX_KEY)))
  return { kind: keyOf([provider, ...kind, framesOf(error)[0]]), detail: keyOf(detail) }
}

/** What somebody else said is left out, too: a visitor can have written it, and providers add an id of each answer. */
const withoutNumbers = (message: string) =>
  message.replace(/(?:and says:|error) "(?:[^"\\]|\\.)*"?/g, '').replace(/\b[a-z]+:\/\/\S+|\d+/gi, '#')

/** Members of the data of warnings that depend on the configuration and not on a visitor. */
const DISTINGUISHING_MEMBERS: Readonly<Partial<Record<WarningCode, readonly string[]>>> = {
  'contradicted-option': ['provider', 'option'],
  'cross-site-cookies': ['cookies', 'fix'],
  'inexact-adapter': ['method'],
  'key-not-published': ['provider'],
  'no-id-token-hint': ['provider', 'reason'],
  'no-logout-endpoint': ['provider'],
  'provider-outage': ['provider', 'document', 'state'],
  'redirect-proxy-without-hosts': ['redirectProxyUrl'],
  'scope-without-openid': ['provider'],
  'session-claim-lost': ['lost'],
  'unbound-code': ['provider'],
  'unchecked-provider': ['provider'],
  'unconfirmed-addresses': ['remaining'],
  'unusable-member': ['provider', 'member'],
  'unused-option': ['reason'],
  'userinfo-not-read': ['provider'],
  'weak-secret': ['options'],
}

/** What distinguishes one warning from another: its code, and the members above. Other data may come from a visitor. */
export function ofWarning(code: WarningCode, metadata: unknown): Occurrence {
  const data: Readonly<Record<string, unknown>> = hasMembers(metadata) ? { ...metadata } : {}
  const detail = (DISTINGUISHING_MEMBERS[code] ?? []).map((member) => dataText(data[member]))
  return { kind: code, detail: keyOf(detail) }
}

const keyOf = (parts: readonly unknown[]) => parts.map(String).join('|').slice(0, MAX_KEY)

/** Whether a value is data with names: an object, and neither an error nor a list. */
export const hasMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Error) && !Array.isArray(value)
