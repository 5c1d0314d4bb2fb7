import { onceFor } from './awaitable.js'
import { causesOf, consoleLine, dataText, framesOf, headOf } from './console-lines.js'
import { isError } from './describe-value.js'
import { isVisitors } from './errors.js'
import { contextOf, type LogContext, type LoggingOptions, type LogSource } from './log-context.js'
import { printable } from './printable.js'
import {
  createRepeats,
  hasMembers,
  type Occurrence,
  ofFault,
  ofWarning,
  type Repeats,
  type WriteLine,
} from './repeats.js'
import { WARNING_SENTENCES, type WarningCode } from './warning-sentences.js'

export { describeError } from './console-lines.js'
export {
  type LogContext,
  type LoggingOptions,
  type LogSource,
  noteSubject,
} from './log-context.js'
export { isFirstTime, placeInApplication } from './repeats.js'
export type { WarningCode } from './warning-sentences.js'

/**
 * The logger of Latchkey. An application can replace any member with `config.logger`; the others write to the console.
 *
 * No member gets a secret, token, code or cookie value. `context` describes the request, and how often the event
 * happened; it is absent for an event that happened once and outside of a request.
 */
export interface LoggerInstance {
  /**
   * A fault of the application, its configuration, a provider or a store. {@link AuthError.type} says which;
   * `error.cause.err` is the error that caused it. Repeated faults are counted: `context.repeated`.
   */
  error(error: Error, context?: LogContext): void
  /** Something that works but should be looked at. */
  warn(code: WarningCode, metadata?: unknown, context?: LogContext): void
  /**
   * An error that a visitor caused and nobody has to repair: a wrong password, an expired link, "cancel" at the
   * provider. Each one is logged.
   */
  info?(error: Error, context?: LogContext): void
  /** Details for a developer; silent unless `config.debug` is set. */
  debug(message: string, metadata?: unknown, context?: LogContext): void
}

/**
 * The logger as Latchkey calls it. Each line is given the request that it belongs to. Work that several requests share, or
 * that belongs to no request, gives none.
 */
export interface Log {
  /** Takes every error. What a visitor caused is logged as `info`. */
  error(error: Error, source?: LogSource): void
  warn(code: WarningCode, metadata?: unknown, source?: LogSource): void
  debug(message: string, metadata?: unknown, source?: LogSource): void
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

/** The lines below the first: the causes, and the stack frames unless the log has them already. */
const below = (error: Error, context: LogContext | undefined): string[] => [
  ...causesOf(error),
  ...(context?.repeated === undefined ? framesOf(error) : []),
]

/** A sentence about the problem, how to solve it, the code, and the remaining data. */
export function warningText(code: WarningCode, metadata: unknown): string {
  const { fix, ...data } = typeof metadata === 'object' && metadata !== null ? (metadata as { fix?: unknown }) : {}
  const cure = typeof fix === 'string' ? ` ${printable(fix)}` : ''
  const rest = hasMembers(metadata) ? (Object.keys(data).length > 0 ? data : undefined) : metadata
  return `${WARNING_SENTENCES[code] ?? 'See docs/errors.md.'}${cure} (${code})${rest === undefined ? '' : ` ${dataText(rest)}`}`
}

/** How a configuration logs. */
export interface LoggerSettings {
  readonly logging?: LoggingOptions | undefined
  /** Distinguishes the faults of this configuration from those of others with the same destination. */
  readonly scope?: string
  /** The store of the configuration, which distinguishes its faults as well. */
  readonly store?: object | undefined
}

/** Seconds during which repeated faults are counted and not logged. */
const REPEAT_INTERVAL = 30

/** The place where lines are written: the logger of an application, or the console. */
interface Destination {
  readonly repeats: Repeats
  /** Numbers of the stores that had faults. */
  readonly stores: WeakMap<object, number>
  storeCount: number
}

/**
 * Counts belong to a destination, not to a configuration: an application may create a configuration for each request,
 * and an invalid configuration is checked again for each request.
 */
const destinationOf = onceFor(
  (_place: object): Destination => ({ repeats: createRepeats(), stores: new WeakMap(), storeCount: 0 }),
)

/**
 * Stores that are distinguished. More stores than this come from an adapter made for each request; they count as one.
 */
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
 * Adds the members that the logger of an application does not have, and the context of its request to every line. The
 * logger of an application decides itself whether it writes debug lines.
 */
export function completeLogger(
  custom: Partial<LoggerInstance> | undefined,
  debug: boolean,
  { logging = {}, scope = '', store }: LoggerSettings = {},
): Log {
  const fallback = createConsoleLogger(debug)
  const interval = logging.repeatInterval ?? REPEAT_INTERVAL
  const place = hasMembers(custom) ? custom : console.error
  const destination = destinationOf(place)
  const about = (source: LogSource | undefined) => source && contextOf(source, logging)
  const write: WriteTo = (name, ...values) => {
    const toConsole = () => (fallback[name] as Member)(...values)
    report(
      () => {
        const own = custom?.[name] as Member | undefined
        return own ? own.apply(custom, withoutEnd(values)) : toConsole()
      },
      (fault) => {
        complain(fault)
        // The logger of the application has not got the line.
        report(toConsole, ignoreFault)
      },
    )
  }
  const pass = (level: string, { kind, detail }: Occurrence, line: WriteLine) => {
    const scoped = `${level} ${storeNumber(destination, store ?? place)} ${scope} ${kind}`
    destination.repeats.pass({ kind: scoped, detail }, interval, line)
  }
  const complain = (fault: Error) =>
    pass('logger', ofFault(fault, undefined), (repeated) =>
      report(() => fallback.error(fault, withRepeated(undefined, repeated)), ignoreFault),
    )
  return {
    error(error, source) {
      const context = about(source)
      if (isVisitors(error)) return write('info', error, context)
      pass('error', ofFault(error, context?.provider), (repeated) =>
        write('error', error, withRepeated(context, repeated)),
      )
    },
    warn(code, metadata, source) {
      const context = about(source)
      pass('warn', ofWarning(code, metadata), (repeated) =>
        write('warn', code, metadata, withRepeated(context, repeated)),
      )
    },
    debug(message, metadata, source) {
      // The request is read only if somebody gets the line.
      if (debug || takesDebugLines(custom)) write('debug', message, metadata, about(source))
    },
  }
}

type Member = (...given: unknown[]) => unknown
type WriteTo = <Name extends keyof LoggerInstance>(
  name: Name,
  ...given: Parameters<Required<LoggerInstance>[Name]>
) => void

/** Arguments without undefined ones at the end: some loggers would write them. */
const withoutEnd = (given: readonly unknown[]): unknown[] =>
  given.slice(0, given.findLastIndex((each) => each !== undefined) + 1)

const withRepeated = (context: LogContext | undefined, repeated: number | undefined): LogContext | undefined =>
  repeated === undefined ? context : { ...context, repeated }

/** Whether the logger of an application has `debug`. If reading it throws, true: the call then reports the fault. */
function takesDebugLines(custom: Partial<LoggerInstance> | undefined): boolean {
  try {
    return Boolean(custom?.debug)
  } catch {
    return true
  }
}

/** If the console throws as well, the fault cannot be reported anywhere. */
const ignoreFault = () => {}

/** A logger that throws or rejects must not change the response to the visitor, and its fault is reported. */
async function report(work: () => unknown, complain: (fault: Error) => void): Promise<void> {
  try {
    await work()
  } catch (error) {
    complain(isError(error) ? error : new Error('The logger of the application threw.'))
  }
}
