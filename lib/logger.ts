import { AuthError, isVisitors } from './errors.js'
import { causesOf, chainOf, codeOf, consoleLine, dataText, framesOf, headOf } from './logging/console-lines.js'
import { currentContext, type LogContext, type LoggingOptions } from './logging/log-context.js'
import { printable } from './logging/printable.js'
import { createRepeats, type Repeats } from './logging/repeats.js'
import { WARNING_SENTENCES } from './logging/warning-sentences.js'

export { describeError } from './logging/console-lines.js'
export {
  type LogContext,
  type LoggingOptions,
  noteSubject,
  onBehalfOf,
  onBehalfOfNobody,
} from './logging/log-context.js'

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
  const rest = isRecord(metadata) ? (Object.keys(data).length > 0 ? data : undefined) : metadata
  return `${SENTENCES[code] ?? 'See docs/errors.md.'}${cure} (${code})${rest === undefined ? '' : ` ${dataText(rest)}`}`
}

const isRecord = (value: unknown): value is object =>
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

/**
 * By where the lines go, and by store. Not by configuration: one may be made anew for each request, and one that cannot work is looked at for each.
 */
const repeatsOf = new WeakMap<object, WeakMap<object, Repeats>>()

function repeatsTo(place: object, store: object): Repeats {
  const byStore = repeatsOf.get(place) ?? new WeakMap<object, Repeats>()
  repeatsOf.set(place, byStore)
  const known = byStore.get(store) ?? createRepeats()
  byStore.set(store, known)
  return known
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
  const place = isRecord(custom) ? custom : console.error
  const repeats = repeatsTo(place, store ?? place)
  const told = () => currentContext(logging)
  const write: Write = (name, ...given) => {
    const own = custom?.[name] as Member | undefined
    report(() => (own ? own.apply(custom, withoutEnd(given)) : (fallback[name] as Member)(...given)), complain)
  }
  const complain = (fault: Error) =>
    repeats.pass(faultKey(scope, fault, undefined), 'logger', interval, (repeated) =>
      fallback.error(fault, withRepeated(undefined, repeated)),
    )
  const info = (error: Error, context = told()) => write('info', error, context)
  return {
    info,
    error(error, context = told()) {
      if (isVisitors(error)) return info(error, context)
      const kind = `error ${error instanceof AuthError ? error.type : ''}`
      repeats.pass(faultKey(scope, error, context?.provider), kind, interval, (repeated) =>
        write('error', error, withRepeated(context, repeated)),
      )
    },
    warn(code, metadata, context = told()) {
      const key = `${scope} ${code} ${dataText(metadata)}`.slice(0, MAX_KEY)
      repeats.pass(key, `warn ${code}`, interval, (repeated) =>
        write('warn', code, metadata, withRepeated(context, repeated)),
      )
    },
    debug(message, metadata, context) {
      // Nothing is found out about a request for nobody.
      if (custom?.debug || debug) write('debug', message, metadata, context ?? told())
    },
  }
}

type Member = (...given: unknown[]) => unknown
type Write = <Name extends keyof LoggerInstance>(
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
 * What tells one fault from another: its kind, what caused it, and the provider. Numbers in messages, such as ports and times, do not, nor does what was
 * asked for: a store that is down is one fault, whoever meets it.
 */
const faultKey = (scope: string, error: Error, provider: string | undefined): string =>
  [scope, provider, ...chainOf(error).map(traitsOf)].join('|').slice(0, MAX_KEY)

const traitsOf = (error: Error) => `${error.name} ${codeOf(error)} ${error.message.replace(/\d+/g, '#')}`

/** A logger that throws, at once or later, must not change what a visitor gets, nor hide that it did. */
function report(write: () => unknown, complain: (fault: Error) => void): void {
  const failed = (error: unknown) =>
    complain(error instanceof Error ? error : new Error('The logger of the application threw.'))
  try {
    const written = write()
    if (written instanceof Promise) written.catch(failed)
  } catch (error) {
    failed(error)
  }
}
