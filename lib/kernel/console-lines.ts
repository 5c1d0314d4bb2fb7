import { isError } from './describe-value.js'
import { memberOf, stackFrames, textMember } from './errors.js'
import type { LogContext } from './log-context.js'
import { printable, printableStart } from './printable.js'

/** The levels of a line. */
type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** Characters of a message that are shown. */
const MAX_MESSAGE = 1000
/** Characters of the data of a line that are shown. */
const MAX_DATA = 10_000
/** Characters of a name and of a code that are shown. */
const MAX_NAME = 100
/** Frames of the stack that are shown. */
const MAX_FRAMES = 10
/** Errors of a chain of causes that are shown. */
const MAX_CAUSES = 5

/** One line: time, level, what happened, and in which request. */
export const consoleLine = (level: LogLevel, text: string, context: LogContext | undefined): string =>
  [`${new Date().toISOString()} [latchkey][${level}] ${text}`, ...membersOf(context)].join(' ')

const membersOf = (context: LogContext = {}) => Object.entries(context).map(([name, value]) => `${name}=${value}`)

/** One line for each cause of an error. */
export const causesOf = (error: Error): string[] =>
  chainOf(error)
    .slice(1)
    .map((cause) => `    caused by ${headOf(cause)}`)

/**
 * Name, message and frames of an error and of its causes. Other members are left out: libraries store token responses
 * in them.
 */
export function describeError(error: unknown): string {
  if (!isError(error)) {
    return typeof error === 'string' ? printableStart(error, MAX_MESSAGE) : Object.prototype.toString.call(error)
  }
  return [headOf(error), ...causesOf(error), ...framesOf(error)].join('\n')
}

/** The data of a warning or of a debug line. */
export function dataText(data: unknown): string {
  if (isError(data)) return headOf(data)
  try {
    return printableStart(JSON.stringify(data) ?? String(data), MAX_DATA)
  } catch {
    return 'data that JSON cannot hold'
  }
}

/** An error and its causes, the outermost first. */
export function chainOf(error: Error): Error[] {
  const chain: Error[] = []
  for (let next: unknown = error; isError(next) && chain.length < MAX_CAUSES; next = causeOf(next)) {
    if (chain.includes(next)) break
    chain.push(next)
  }
  return chain
}

function causeOf(error: Error): unknown {
  const cause = memberOf(error, 'cause')
  if (isError(cause) || typeof cause !== 'object' || cause === null) return cause
  return memberOf(cause, 'err')
}

/** Name, message and code of an error, on one line. Systems and drivers give codes, such as `ECONNREFUSED`. */
export function headOf(error: Error): string {
  const code = textMember(error, 'code').slice(0, MAX_NAME)
  const said = printable(textMember(error, 'message').slice(0, MAX_MESSAGE))
  const message = said.includes(code) ? said : [said, `(${printable(code)})`].join(' ').trim()
  const name = printable(textMember(error, 'name').slice(0, MAX_NAME)) || 'Error'
  return message === '' ? name : `${name}: ${message}`
}

/** The stack frames of an error, or of its first cause. */
export function framesOf(error: Error): string[] {
  const first = chainOf(error).at(-1) ?? error
  const frames = stackFrames({ stack: textMember(first, 'stack'), message: textMember(first, 'message') })
  return frames.slice(0, MAX_FRAMES).map((frame) => `      ${printable(frame.trim())}`)
}
