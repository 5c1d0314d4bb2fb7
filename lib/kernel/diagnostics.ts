import { channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import type { MaybePromise } from './awaitable.js'
import { isError } from './describe-value.js'

/** A request to the mount, as subscribers of `latchkey:action` see it. */
export interface ActionMessage {
  /** In capitals. */
  readonly method: string
  /** Such as `signin`, `callback` or `session`; null for an unknown path. */
  readonly action: string | null
  /** Id of the provider; absent if the path names none. */
  readonly provider?: string
  /** HTTP status of the answer; present at the end. */
  readonly status?: number
  /** Type of the error, such as `CredentialsSignin`; present at the end of a request that failed or was refused. */
  readonly error?: string
}

/** A look at the session of a request, as subscribers of `latchkey:session-read` see it. */
export interface SessionReadMessage {
  /** Whether the session may be renewed. */
  readonly renews: boolean
  /** Whether somebody is signed in; present at the end, unless the session could not be read. */
  readonly found?: boolean
}

/** A call to a provider or a mail service, as subscribers of `latchkey:outgoing-call` see it. */
export interface OutgoingCallMessage {
  /** In capitals. */
  readonly method: string
  /** Host and port. Paths and queries are left out, because they can contain secrets. */
  readonly host: string
  /** Id of the provider; absent if it is not known. */
  readonly provider?: string
  /** HTTP status; present at the end, if an answer came. */
  readonly status?: number
}

/** What every message has at the end. */
export interface EndOfWork {
  /** Milliseconds. */
  readonly duration?: number
  /** Why the work failed: a type of error or the code of a fault, never a message; absent if it did not fail. */
  readonly error?: string
}

/** What subscribers of the plain channel `latchkey:sign-in` get, after somebody was signed in. */
export interface SignInMessage {
  /** Id of the provider. */
  readonly provider: string
  readonly type: string
  /** Whether this was the first sign-in of the user; false where that is not known. */
  readonly isNewUser: boolean
}

/**
 * What subscribers of the plain channel `latchkey:refusal` get, when a guard does not let a request pass. What the `authorized`
 * callback answers itself is no refusal.
 */
export interface RefusalMessage {
  /**
   * `deny`: nobody is signed in. `outdated`: the sign-in is too old. `one-factor`: a second factor is missing. `weak`: the
   * provider has not said an `acr`. `forbid`: the user may not do this. `out-of-scope`: the token is not for this. `fault`: the
   * session could not be read. `refused`: the request cannot be judged.
   */
  readonly reason: 'deny' | 'outdated' | 'one-factor' | 'weak' | 'forbid' | 'out-of-scope' | 'fault' | 'refused'
}

/** Messages of the tracing channels, by name. */
export interface TracedMessages {
  'latchkey:action': ActionMessage
  'latchkey:session-read': SessionReadMessage
  'latchkey:outgoing-call': OutgoingCallMessage
}

type Message<Name extends keyof TracedMessages> = {
  -readonly [Key in keyof TracedMessages[Name]]: TracedMessages[Name][Key]
} & {
  -readonly [Key in keyof EndOfWork]: EndOfWork[Key]
}

/** The tracing channels by name. They are held here: Node forgets a channel that nobody holds. */
export const TRACED: { readonly [Name in keyof TracedMessages]: TracingChannel<string, Message<Name>> } = {
  'latchkey:action': tracingChannel('latchkey:action'),
  'latchkey:session-read': tracingChannel('latchkey:session-read'),
  'latchkey:outgoing-call': tracingChannel('latchkey:outgoing-call'),
}

const SIGN_IN = channel('latchkey:sign-in')
const REFUSAL = channel('latchkey:refusal')

/**
 * Does work that subscribers of a tracing channel can follow, with the events that `TracingChannel` of Node has. Without
 * subscribers it only does the work.
 *
 * Node's own `tracePromise` gives subscribers the result and the error of the work. They contain tokens and sessions, so
 * subscribers get a message in their place.
 *
 * @param begin makes the message
 * @param end what is added to the message at the end
 */
export function traced<Name extends keyof TracedMessages, T>(
  name: Name,
  begin: () => TracedMessages[Name],
  work: () => MaybePromise<T>,
  end: (result: T) => Partial<TracedMessages[Name]>,
): MaybePromise<T> {
  const traces = TRACED[name] as TracingChannel<string, Message<Name>>
  return traces.hasSubscribers ? follow(traces, begin() as Message<Name>, work, end) : work()
}

function follow<M extends object, T>(
  traces: TracingChannel<string, M>,
  message: M,
  work: () => MaybePromise<T>,
  end: (result: T) => object,
): Promise<T> {
  const startedAt = performance.now()
  const finish = (more: object) => {
    Object.assign(message, more, { duration: performance.now() - startedAt })
    traces.asyncStart.publish(message)
    traces.asyncEnd.publish(message)
  }
  const following = traces.start.runStores(message, async () => {
    try {
      const result = await work()
      finish(end(result))
      return result
    } catch (error) {
      Object.assign(message, { error: nameOfError(error) })
      traces.error.publish(message as M & { error: unknown })
      finish({})
      throw error
    }
  })
  traces.end.publish(message)
  return following
}

/** The code of a fault or the type of an error. Neither contains data of a request. */
function nameOfError(error: unknown): string {
  if (!isError(error)) return 'unknown'
  const { code, type, name } = error as { code?: unknown; type?: unknown; name?: unknown }
  const named = [type, code, name].find((each) => typeof each === 'string' && /^[A-Za-z][\w-]{0,60}$/.test(each))
  return typeof named === 'string' ? named : 'Error'
}

/** Tells subscribers of a sign-in. */
export function publishSignIn(message: SignInMessage): void {
  if (SIGN_IN.hasSubscribers) SIGN_IN.publish(Object.freeze({ ...message }))
}

/** Tells subscribers that a guard did not let a request pass. */
export function publishRefusal(reason: RefusalMessage['reason']): void {
  if (REFUSAL.hasSubscribers) REFUSAL.publish(Object.freeze({ reason }))
}
