import { given } from './awaitable.js'
import { isVisitors, textOf } from './errors.js'
import { causesOf, chainOf, consoleLine, dataText, framesOf, headOf } from './logging/console-lines.js'
import { currentContext, type LogContext, type LoggingOptions } from './logging/log-context.js'
import { printable } from './logging/printable.js'
import { createRepeats, type Occurrence, type Repeats, type WriteLine } from './logging/repeats.js'
import { WARNING_SENTENCES } from './logging/warning-sentences.js'

export { describeError } from './logging/console-lines.js'
export {
  type LogContext,
  type LoggingOptions,
  noteSubject,
  onBehalfOf,
  onBehalfOfNobody,
} from './logging/log-context.js'
export { once } from './logging/once.js'

/** Codes of the warnings that Latchkey gives; stable, so that an application can match on them. */
export type WarningCode =
  | 'accounts-ended'
  | 'authorized-spelling'
  | 'clock-difference'
  | 'cross-site-post'
  | 'csrf-disabled'
  | 'debug-enabled'
  | 'env-url-basepath-mismatch'
  | 'env-url-basepath-redundant'
  | 'experimental-webauthn'
  | 'forwarded-headers-ignored'
  | 'fresh-configurations'
  | 'inexact-adapter'
  | 'mount-basepath-mismatch'
  | 'provider-outage'
  | 'redirect-proxy-without-hosts'
  | 'redirect-refused'
  | 'session-claim-lost'
  | 'session-without-user'
  | 'shared-secret'
  | 'sign-in-time-unknown'
  | 'sign-outs-forgotten'
  | 'sign-outs-given-up'
  | 'unbound-code'
  | 'unchecked-provider'
  | 'unconfirmed-addresses'
  | 'unmarked-sign-up'
  | 'unused-option'
  | 'weak-secret'

const SENTENCES: Readonly<Record<WarningCode, string>> = WARNING_SENTENCES

/**
 * Where Latchkey reports. Any member may be replaced through `config.logger`; the others keep writing to the console.
 *
 * No secret, token, code or cookie value is handed to any of them. `context` says in which request it happened, and how often; it is absent for what
 * happened once, and in none.
 */
export interface LoggerInstance {
  /**
   * A fault of the application, of its set-up, of a provider or of a store. {@link AuthError.type} says which; `error.cause.err` is what was thrown first.
   * One that happens again is summed up: `context.repeated`.
   */
  error(error: Error, context?: LogContext): void
  /** Something that works but should be looked at. */
  warn(code: WarningCode, metadata?: unknown, context?: LogContext): void
  /** What a visitor did, or anybody may do, and nobody need mend: a wrong password, an expired link, "cancel" at the provider. Each is told. */
  info?(error: Error, context?: LogContext): void
  /** Details for a developer; silent unless `config.debug` is set. */
  debug(message: string, metadata?: unknown, context?: LogContext): void
}

/** A logger that writes to the console, debug lines only when `debug` is true. */
function createConsoleLogger(debug: boolean): Required<LoggerInstance> {
  return {
    error: (error, context) =>
      console.error([consoleLine('error', headOf(error), context), ...below(error, context)].join('\n')),
    warn: (code, metadata, context) => console.warn(consoleLine('warn', warningText(code, metadata), context)),
    info: (error, context) => console.info(consoleLine('info', headOf(error), context)),
    debug: (message, metadata, context) => {
      if (!debug) return
      const data = metadata === undefined ? '' : ` ${dataText(metadata)}`
      console.debug(consoleLine('debug', `${printable(message)}${data}`, context))
    },
  }
}

/** Where it began is told once. */
const below = (error: Error, context: LogContext | undefined): string[] => [
  ...causesOf(error),
  ...(context?.repeated === undefined ? framesOf(error) : []),
]

/** A sentence that says what is wrong, what to do about it, the code, and what else is known. */
function warningText(code: WarningCode, metadata: unknown): string {
  const { fix, ...data } = typeof metadata === 'object' && metadata !== null ? (metadata as { fix?: unknown }) : {}
  const cure = typeof fix === 'string' ? ` ${printable(fix)}` : ''
  const rest = hasMembers(metadata) ? (Object.keys(data).length > 0 ? data : undefined) : metadata
  return `${SENTENCES[code] ?? 'See docs/errors.md.'}${cure} (${code})${rest === undefined ? '' : ` ${dataText(rest)}`}`
}

const hasMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Error) && !Array.isArray(value)

/** How a configuration logs. */
export interface LoggerSettings {
  readonly logging?: LoggingOptions | undefined
  /** Tells the faults of this configuration from those of others that write to the same place. */
  readonly scope?: string
  /** So does the store. */
  readonly store?: object | undefined
}

/** Seconds in which a fault that happens again is counted. */
const REPEAT_INTERVAL = 30

/** Somewhere that lines go to: a logger of an application, or the console. */
interface Destination {
  readonly repeats: Repeats
  /** Numbers of the stores that had faults. */
  readonly stores: WeakMap<object, number>
  storeCount: number
}

/**
 * Counts are kept by where the lines go. Not by configuration: one may be made anew for each request, and one that cannot work is looked at for each.
 */
const destinations = new WeakMap<object, Destination>()

function destinationOf(place: object): Destination {
  const known = destinations.get(place) ?? { repeats: createRepeats(), stores: new WeakMap(), storeCount: 0 }
  destinations.set(place, known)
  return known
}

/** Stores that are told apart. There are more where an adapter is made anew for each request, and those count as one. */
const MAX_STORES = 100

function storeNumber(destination: Destination, store: object): number {
  const { stores } = destination
  const known = stores.get(store)
  if (known !== undefined) return known
  if (destination.storeCount >= MAX_STORES) return MAX_STORES
  stores.set(store, destination.storeCount)
  destination.storeCount += 1
  return destination.storeCount - 1
}

/**
 * Fills the members an application left out of its logger; a custom logger decides itself what to do with debug lines. What the logger is told gets the
 * context of its request. `error` takes what went wrong whoever erred, and tells visitors' mistakes as `info`.
 */
export function completeLogger(
  custom: Partial<LoggerInstance> | undefined,
  debug: boolean,
  { logging = {}, scope = '', store }: LoggerSettings = {},
): Required<LoggerInstance> {
  const fallback = createConsoleLogger(debug)
  const interval = logging.repeatInterval ?? REPEAT_INTERVAL
  const place = hasMembers(custom) ? custom : console.error
  const destination = destinationOf(place)
  const told = () => currentContext(logging)
  const write: WriteTo = (name, ...values) => {
    const toConsole = () => (fallback[name] as Member)(...values)
    report(
      () => {
        const own = custom?.[name] as Member | undefined
        return own ? own.apply(custom, withoutEnd(values)) : toConsole()
      },
      (fault) => {
        complain(fault)
        // Nobody else knows of it now.
        report(toConsole, NOBODY)
      },
    )
  }
  const pass = (level: string, { kind, detail }: Occurrence, line: WriteLine) => {
    const scoped = `${level} ${storeNumber(destination, store ?? place)} ${scope} ${kind}`
    destination.repeats.pass({ kind: scoped, detail }, interval, line)
  }
  const complain = (fault: Error) =>
    pass('logger', ofFault(fault, undefined), (repeated) =>
      report(() => fallback.error(fault, withRepeated(undefined, repeated)), NOBODY),
    )
  const info = (error: Error, context = told()) => write('info', error, context)
  return {
    info,
    error(error, context = told()) {
      if (isVisitors(error)) return info(error, context)
      pass('error', ofFault(error, context?.provider), (repeated) =>
        write('error', error, withRepeated(context, repeated)),
      )
    },
    warn(code, metadata, context = told()) {
      pass('warn', ofWarning(code, metadata), (repeated) =>
        write('warn', code, metadata, withRepeated(context, repeated)),
      )
    },
    debug(message, metadata, context) {
      // Nothing is found out about a request for nobody.
      if (debug || takesDebugLines(custom)) write('debug', message, metadata, context ?? told())
    },
  }
}

type Member = (...given: unknown[]) => unknown
type WriteTo = <Name extends keyof LoggerInstance>(
  name: Name,
  ...given: Parameters<Required<LoggerInstance>[Name]>
) => void

/** Arguments without those that are undefined at the end: a logger that writes whatever it is given would write that. */
const withoutEnd = (given: readonly unknown[]): unknown[] =>
  given.slice(0, given.findLastIndex((each) => each !== undefined) + 1)

const withRepeated = (context: LogContext | undefined, repeated: number | undefined): LogContext | undefined =>
  repeated === undefined ? context : { ...context, repeated }

const MAX_KEY = 1000

/**
 * What tells one fault from another. Its kind is what the code decides: types, names and codes of it and of what caused it, the provider, and where the
 * first of them was thrown. Messages are the detail: they may repeat what a visitor sent. Numbers in them, such as ports and times, tell nothing apart,
 * nor do addresses: a store that is down is one fault, whoever meets it.
 */
function ofFault(error: Error, provider: string | undefined): Occurrence {
  const chain = chainOf(error)
  const kind = chain.map((each) => `${textOf(each, 'name')} ${textOf(each, 'code')}`)
  const detail = chain.map((each) => withoutNumbers(textOf(each, 'message').slice(0, MAX_KEY)))
  return { kind: keyOf([provider, ...kind, framesOf(error)[0]]), detail: keyOf(detail) }
}

const withoutNumbers = (message: string) => message.replace(/\b[a-z]+:\/\/\S+|\d+/gi, '#')

/** Members of the data of warnings that the set-up decides, and no visitor. */
const TOLD_APART_BY: Readonly<Partial<Record<WarningCode, readonly string[]>>> = {
  'inexact-adapter': ['method'],
  'provider-outage': ['provider', 'document', 'state'],
  'redirect-proxy-without-hosts': ['redirectProxyUrl'],
  'session-claim-lost': ['lost'],
  'unbound-code': ['provider'],
  'unchecked-provider': ['provider'],
  'unconfirmed-addresses': ['remaining'],
  'unused-option': ['reason'],
  'weak-secret': ['options'],
}

/** Warnings are told apart by code, and by what is listed above: other data may be what a visitor sent. */
function ofWarning(code: WarningCode, metadata: unknown): Occurrence {
  const data: Readonly<Record<string, unknown>> = hasMembers(metadata) ? { ...metadata } : {}
  const detail = (TOLD_APART_BY[code] ?? []).map((member) => dataText(data[member]))
  return { kind: code, detail: keyOf(detail) }
}

const keyOf = (parts: readonly unknown[]) => parts.map(String).join('|').slice(0, MAX_KEY)

/** Whether an application's logger has a member for them. One that cannot be read is told of where it is called. */
function takesDebugLines(custom: Partial<LoggerInstance> | undefined): boolean {
  try {
    return Boolean(custom?.debug)
  } catch {
    return true
  }
}

/** Where the console throws as well, there is nobody left to tell. */
const NOBODY = () => {}

/** A logger that throws, at once or later, must not change what a visitor gets, nor hide that it did. */
function report(work: () => unknown, complain: (fault: Error) => void): void {
  const failed = (error: unknown) =>
    complain(error instanceof Error ? error : new Error('The logger of the application threw.'))
  try {
    const written = given(work())
    if (written instanceof Promise) written.catch(failed)
  } catch (error) {
    failed(error)
  }
}
