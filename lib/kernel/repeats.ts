import { AsyncResource } from 'node:async_hooks'
import { onceFor, timerMs } from './awaitable.js'
import { chainOf, dataText, framesOf } from './console-lines.js'
import { isError } from './describe-value.js'
import { memberOf, textMember } from './errors.js'
import type { WarningCode } from './warning-sentences.js'

/** Writes one line; `repeated` counts the occurrences since the line before, absent for the first. It never throws. */
export type WriteLine = (repeated?: number) => void

/** One event that may happen again. */
export interface Occurrence {
  /** The kind of the event, and where in the code it began; a visitor cannot choose it. */
  readonly kind: string
  /** What distinguishes events of one kind, such as the message. */
  readonly detail: string
}

/** Counts repeated events, so that not every one is written. */
export interface Repeats {
  /**
   * Writes an event when it happens for the first time. Repetitions are written as one line at the end of an interval.
   *
   * @param interval seconds; 0 writes each
   */
  pass(occurrence: Occurrence, interval: number, write: WriteLine): void
}

/** How many events are distinguished at a time. */
export interface RepeatLimits {
  /** Details of one kind. Beyond this, events of the kind are counted together. */
  readonly perKind: number
  /** Events of all kinds. Beyond this, the oldest is removed and its count is written. */
  readonly total: number
}

interface Counted {
  readonly kind: string
  count: number
  /** Writes the latest occurrence. */
  write: WriteLine
  /** Fires at the end of the interval. */
  timer?: NodeJS.Timeout
}

const LIMITS: RepeatLimits = { perKind: 20, total: 500 }
/**
 * The async context in which the module was loaded, which is outside of any request. A timer started in the context of
 * a request would hold the request in memory, and the application's logger would find the application's data about it.
 */
const outside = new AsyncResource('latchkey repeats')

/**
 * Counts the events of one destination of lines.
 *
 * Its memory is limited, and nobody can use the limit to hide a fault. Each kind has a limit of its own, so that events
 * of one kind do not displace another. With too many kinds, more lines are written, and no line is lost.
 */
export function createRepeats({ perKind, total }: RepeatLimits = LIMITS): Repeats {
  const counted = new Map<string, Counted>()
  /** Number of entries of each kind. */
  const kinds = new Map<string, number>()

  const wait = (key: string, entry: Counted, interval: number) => {
    const timer = outside.runInAsyncScope(() => setTimeout(() => sumUp(key, entry, interval), timerMs(interval * 1000)))
    // The timer does not keep the process alive: the event is in the log already, and only its count is lost.
    timer.unref()
    entry.timer = timer
  }

  const sumUp = (key: string, entry: Counted, interval: number) => {
    if (entry.count === 0) return forget(key, entry)
    const { count, write } = entry
    entry.count = 0
    wait(key, entry, interval)
    write(count)
  }

  const forget = (key: string, { kind, timer }: Counted) => {
    clearTimeout(timer)
    counted.delete(key)
    const left = (kinds.get(kind) ?? 1) - 1
    if (left === 0) kinds.delete(kind)
    else kinds.set(kind, left)
  }

  /**
   * Removes the oldest event without repetitions. Such an event comes from a flood of different events. A store that is
   * down causes repeated events.
   */
  const makeRoom = () => {
    const all = [...counted]
    const oldest = all.find(([, { count }]) => count === 0) ?? all[0]
    if (!oldest) return
    const [key, entry] = oldest
    forget(key, entry)
    if (entry.count > 0) entry.write(entry.count)
  }

  const keyOf = ({ kind, detail }: Occurrence) => {
    const own = `${kind}\n${detail}`
    return counted.has(own) || (kinds.get(kind) ?? 0) < perKind ? own : kind
  }

  return {
    pass(occurrence, interval, write) {
      if (interval === 0) return write()
      const key = keyOf(occurrence)
      const known = counted.get(key)
      if (known) {
        known.count += 1
        known.write = write
        return
      }
      if (counted.size >= total) makeRoom()
      const { kind } = occurrence
      const entry: Counted = { kind, count: 0, write }
      counted.set(key, entry)
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      wait(key, entry, interval)
      write()
    },
  }
}

/** What has been met of each owner. */
const metOf = onceFor((_owner: object) => new Set<string>())

/**
 * True at the first call with an owner and a name, false at later calls. A condition that visitors can cause is logged
 * once with it.
 *
 * @param owner what the log line is about, such as an adapter or a configuration; it is held weakly
 * @param what name of the condition, such as the code of a warning
 */
export function isFirstTime(owner: object, what: string): boolean {
  const met = metOf(owner)
  if (met.has(what)) return false
  met.add(what)
  return true
}

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
  const codeOf = (each: Error) => (memberOf(each, 'isCodeListed') === false ? '' : textMember(each, 'code'))
  const kind = chain.map((each) => `${textMember(each, 'name')} ${codeOf(each)}`)
  const detail = chain.map((each) => withoutNumbers(textMember(each, 'message').slice(0, MAX_KEY)))
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
  'tries-without-account': ['provider'],
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
  typeof value === 'object' && value !== null && !isError(value) && !Array.isArray(value)

/** The end of the path of this file; what is before it is the folder of the package. In a bundle, this file has another name. */
const OWN_FILE = /kernel[\\/]repeats\.[jt]s:\d+:\d+$/

/**
 * The line of the application that has called Latchkey, directly or by a package such as Express, as it now stands on the
 * stack: file, line and column. It takes some microseconds.
 *
 * @returns null if the stack does not say it
 */
export function placeInApplication(): string | null {
  const { stack = '' } = new Error('Where is the application?')
  const places = stack.split('\n').flatMap((line) => PLACE.exec(line)?.[1] ?? [])
  const root = (places[0] ?? '').replace(OWN_FILE, '')
  const isOurs = (place: string) => root !== places[0] && place.startsWith(root)
  const others = places.filter((place) => !place.startsWith('node:') && !isOurs(place))
  return others.find((place) => !/[\\/]node_modules[\\/]/.test(place)) ?? others[0] ?? null
}

/** `    at route (file:///app/server.js:12:5)`, and the same without a name or after `async`. A folder may have parentheses, too. */
const PLACE = /^ *at (?:.*? \()?(?:async )?((?:[a-z]+:|\/).*:\d+:\d+)\)?$/i
