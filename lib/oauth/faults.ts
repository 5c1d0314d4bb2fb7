import { isServerOutage } from '../kernel/back-channel.js'
import { isError } from '../kernel/describe-value.js'
import { AuthError, type AuthErrorOptions, errorInstead, OAuthCallbackError, withoutDetails } from '../kernel/errors.js'
import { printableStart } from '../kernel/printable.js'
import { blackOut } from './provider-words.js'
import { type Doing, isListed } from './refusals.js'

/** The most characters of a message that may have text of a token or an answer. */
const MAX_MESSAGE_LENGTH = 1000

/**
 * A message on one line, and not too long. Libraries and hooks repeat text of tokens, answers and requests, whose authors
 * must not write lines of the log (CWE-117). The logger of an application may write a message as it is.
 */
const plainMessage = (message: string): string => printableStart(message, MAX_MESSAGE_LENGTH)

/** What a fault is made of beside its message. */
interface FaultFacts {
  /** `registration` by default. */
  readonly doing?: Doing
  /** Status of the answer that had the error. */
  readonly status?: number
  /** The `error` of that answer; null or absent if it had none, or one that is no code. */
  readonly code?: string | null
}

/** A fault of a provider, or of the connection to it. The message is for developers, on one line, and holds no secret. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
  readonly doing: Doing
  readonly status: number | null
  readonly code: string | null
  /** Whether the code may tell one line of the log from another. */
  readonly isCodeListed: boolean

  constructor(message: string, { doing = 'registration', status, code }: FaultFacts = {}) {
    super(plainMessage(message))
    this.doing = doing
    this.status = status ?? null
    this.code = code ?? null
    this.isCodeListed = isListed(this.code)
  }
}

/** A provider that does not answer, or says that it cannot at the moment: the same call may succeed soon. */
export class ProviderOutage extends ProviderFault {
  constructor(message: string, facts: FaultFacts = {}) {
    super(message, { ...facts, doing: 'provider' })
  }
}

/** Whether a call had no answer of the provider, or one that says that it cannot answer at the moment. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ProviderOutage || isServerOutage(failedCall(error))

/** The fault that an error of a call, a library or a hook stands for. */
export const faultOf = (error: unknown, message: string): ProviderFault =>
  isOutage(error) ? new ProviderOutage(message) : new ProviderFault(message)

/** Whose doing it is that a sign-in at a provider failed; null for an error that says nothing of it. */
export function doingOf({ cause }: AuthError): Doing | null {
  if (cause?.err instanceof ProviderFault) return cause.err.doing
  return isServerOutage(cause?.err) ? 'provider' : null
}

/**
 * An answer that no provider sends. It came through a browser, where anybody can write it, so it does not prove a fault
 * of the provider.
 */
export class UnusableAnswer extends ProviderFault {
  constructor(message: string) {
    super(message, { doing: 'incomplete' })
  }
}

/**
 * An error of a library or of an application's hook, in a form for the log: name, code, message and stack, with every
 * given secret blacked out. The cause is left out, since libraries keep whole answers there. For a call that failed,
 * the message says which call it was.
 *
 * @param secrets texts that must not appear: codes, tokens, verifiers, personal data
 */
export function cleanError(error: unknown, secrets: Iterable<string> = []): Error {
  if (error instanceof AuthError || error instanceof ProviderFault) return error
  if (!isError(error)) return errorInstead(error)
  // openid-client's own errors say what kind of thing went wrong, their causes what exactly.
  if (isClientError(error) && isError(error.cause)) return cleanError(error.cause, secrets)
  const call = failedCall(error)
  const clean = withoutDetails(call ?? error, (message) =>
    // A JSON parser quotes the text it could not read.
    !call && isSyntaxError(error) ? 'a text could not be parsed' : plainMessage(blackOut(message, secrets)),
  )
  if (!call) delete clean.cause
  return clean
}

/** Of this realm, also under another name, or of that of `fetch`. */
const isSyntaxError = (error: Error) => error instanceof SyntaxError || error.name === 'SyntaxError'

/**
 * The `AuthError` for anything that was thrown. An `AuthError` stays as it is; everything else becomes the `cause` of
 * an error of the given kind, or of an `OAuthCallbackError` if it is the visitor's doing.
 *
 * @param secrets texts that must not appear
 */
export function asAuthError(
  Kind: new (message: string, cause: AuthErrorOptions) => AuthError,
  error: unknown,
  provider: string,
  secrets: Iterable<string>,
): AuthError {
  if (error instanceof AuthError) return error
  const err = cleanError(error, secrets)
  const prefix = `Provider "${provider}": `
  const message = err.message.startsWith('Provider "') ? err.message : prefix + err.message
  const isVisitors = err instanceof ProviderFault && (err.doing === 'visitor' || err.doing === 'incomplete')
  return isVisitors ? new OAuthCallbackError(message, { err, provider }) : new Kind(message, { err, provider })
}

/**
 * Whether openid-client has put an error around that of the library below it. The name says so, unless a bundler has
 * minified it; then an equal code does, or the words for what has none.
 */
function isClientError(error: Error & { readonly code?: unknown }): boolean {
  if (error.name === 'ClientError' || error.message === 'something went wrong') return true
  const { code, cause } = error
  return typeof code === 'string' && isError(cause) && 'code' in cause && cause.code === code
}

/** The failure of our own call, wherever a library has put it. */
function failedCall(error: unknown, depth = 0): Error | undefined {
  if (!isError(error) || depth > 4) return undefined
  return error.name === 'BackChannelError' ? error : failedCall(error.cause, depth + 1)
}
