import { isError } from './describe-value.js'
import { traced } from './diagnostics.js'
import { memberOf, withoutDetails } from './errors.js'

/** The `User-Agent` of outgoing calls. Some APIs refuse calls without one. */
export const USER_AGENT = 'latchkey/0.1'

/** Milliseconds that an outgoing call may take. */
export const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_BYTES = 1024 * 1024

/** Limits of outgoing calls. */
export interface BackChannelLimits {
  /** Milliseconds from the call to the last byte of the answer; 10 000 by default. */
  readonly timeoutMs?: number
  /** Largest body of an answer, in bytes; 1 MiB by default. */
  readonly maxBytes?: number
}

/** What a back channel needs. */
interface BackChannelOptions extends BackChannelLimits {
  /** Makes the call; the global `fetch` by default. The limits apply to every `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Allows plain http beyond loopback. */
  readonly allowInsecureHttp?: boolean
  /** Id of the provider that is called, for diagnostics. */
  readonly provider?: string
}

/** Why an outgoing call was refused or failed. */
type BackChannelFault = 'insecure' | 'redirect' | 'timeout' | 'too-large' | 'unreachable' | 'failing'

/**
 * An outgoing call that was refused or failed. The message names only host and path, because queries can contain
 * tokens.
 */
export class BackChannelError extends Error {
  override readonly name = 'BackChannelError'
  /** Which limit or failure it was. */
  readonly code: BackChannelFault

  constructor(code: BackChannelFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Whether a host name or address always means this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3). */
export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

/**
 * Whether codes and tokens may be sent to a URL: over https always, over http only to loopback or if the application
 * allows it.
 */
export const isProtected = (url: URL, allowInsecureHttp = false): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && (allowInsecureHttp || isLoopback(url)))

/**
 * The `fetch` of all outgoing calls. It refuses plain http and redirects, and gives up if an answer is slow or large.
 *
 * The body is read before the answer is given. So the time limit covers it, and the caller does not wait for the
 * network again.
 *
 * @returns a function like `fetch` that rejects with {@link BackChannelError}
 */
export function createBackChannel(options: BackChannelOptions = {}): typeof fetch {
  const call = callerOf(options)
  const { provider } = options
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
    return traced(
      'latchkey:outgoing-call',
      () => ({ method, host: url.host, ...(provider !== undefined && { provider }) }),
      () => call(method, url, input, init),
      ({ status }) => ({ status }),
    )
  }
}

/** The calls themselves, within their limits. */
function callerOf(options: BackChannelOptions) {
  const { allowInsecureHttp = false, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options
  return async (method: string, url: URL, ...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const call = `${method} ${url.origin}${url.pathname}`
    if (!isProtected(url, allowInsecureHttp)) {
      throw new BackChannelError(
        'insecure',
        `${call} was not made: tokens would cross the network in the clear. Use https, or set allowInsecureHttp on the provider for a test network.`,
      )
    }
    const headers = headersOf(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    try {
      return await withDeadline(call, timeoutMs, init?.signal, async (signal) => {
        // Called through a local variable: a `fetch` of the platform refuses to run as a method of another object.
        const send = options.fetch ?? fetch
        const answer = await send(input, { ...init, headers, redirect: 'manual', signal })
        // A fetch of the application may have followed one already.
        if (
          answer.redirected ||
          answer.type === 'opaqueredirect' ||
          (answer.status >= 300 && answer.status < 400 && answer.status !== 304)
        ) {
          // Nobody reads it, and an unread body would keep the connection.
          void answer.body?.cancel().catch(() => {})
          throw new BackChannelError(
            'redirect',
            `${call} was answered with a redirect (${answer.status}), which is not followed.`,
          )
        }
        return readWithin(answer, maxBytes, signal, call)
      })
    } catch (error) {
      if (error instanceof BackChannelError) throw error
      const reason = systemCode(error)
      const why = reason === null ? '' : ` (${explainSystemCode(reason)})`
      throw new BackChannelError('unreachable', `${call} failed: no answer came${why}.`, withoutDetails(error))
    }
  }
}

/** Headers as a plain object, which every `fetch` of an application understands. */
function headersOf(given: HeadersInit | undefined): Record<string, string> {
  const headers = Object.fromEntries(given instanceof Headers ? given : new Headers(given))
  const agent = headers['user-agent']
  return agent === undefined || agent.startsWith('openid-client/') ? { ...headers, 'user-agent': USER_AGENT } : headers
}

/**
 * The code with which the system explains a failed call, such as `ECONNREFUSED` or `ENOTFOUND`; null when it gave none.
 * `fetch` says "fetch failed", and has the code in a cause.
 */
function systemCode(error: unknown, depth = 0): string | null {
  if (!isError(error) || depth > 4) return null
  const code = memberOf(error, 'code')
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)
    ? code
    : systemCode(memberOf(error, 'cause'), depth + 1)
}

/** Whether a call got no answer, or not in time: the same call may succeed soon. The error may be a copy of one. */
export const isWithoutAnswer = (error: unknown): boolean =>
  isError(error) &&
  error.name === 'BackChannelError' &&
  (memberOf(error, 'code') === 'unreachable' || memberOf(error, 'code') === 'timeout')

/** Whether a server gave no answer, or one with a status of 500 or more: the same call may succeed soon. */
export const isServerOutage = (error: unknown): boolean =>
  isWithoutAnswer(error) ||
  (isError(error) && error.name === 'BackChannelError' && memberOf(error, 'code') === 'failing')

/**
 * Does work with a time limit. It ends the wait even for work that ignores its signal, as a `fetch` of an application
 * may do.
 *
 * @param call method and address, for the error
 * @param outer the signal of the caller, which ends the call as well
 */
async function withDeadline<T>(
  call: string,
  timeoutMs: number,
  outer: AbortSignal | null | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const stopWithOuter = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => {
    controller.abort(
      new BackChannelError('timeout', `${call} was given up: no complete answer within ${timeoutMs} ms.`),
    )
  }, timeoutMs)
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  outer?.addEventListener('abort', stopWithOuter, { once: true })
  if (outer?.aborted) stopWithOuter()
  try {
    return await Promise.race([work(signal), stopped])
  } finally {
    clearTimeout(timer)
    // Signals are not joined: Node keeps what is joined for as long as that of the caller lives.
    outer?.removeEventListener('abort', stopWithOuter)
  }
}

/** The same answer with its body in memory. */
async function readWithin(answer: Response, maxBytes: number, signal: AbortSignal, call: string): Promise<Response> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = answer.body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    const isTooLarge = size > maxBytes
    // After the signal nobody waits any more, but the body of a `fetch` that ignores it may never end.
    if (isTooLarge || signal.aborted) void reader.cancel().catch(() => {})
    signal.throwIfAborted()
    if (isTooLarge) {
      throw new BackChannelError('too-large', `${call} was given up: the answer has more than ${maxBytes} bytes.`)
    }
    chunks.push(value)
  }
  const [first = null, ...others] = chunks
  // A `Response` copies its body, so what came in one piece is not copied here as well.
  const body = others.length === 0 ? first : Buffer.concat(chunks)
  // A copy: those of an answer cannot be changed, and a `Response` that a framework has put in place of Node's keeps the given
  // object.
  const headers = new Headers(answer.headers)
  // The body of the copy is decoded already, so its headers must not say that it is encoded.
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new Response(body, { status: answer.status, statusText: answer.statusText, headers })
}

/** What the codes of the system and of Node mean for a call to another server. The first that matches counts. */
const MEANINGS: readonly (readonly [codes: RegExp, meaning: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there'],
  [/^ENOTFOUND$/, 'no such host is known'],
  [/^EAI_AGAIN$/, 'the name server gave no answer'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'no connection in time; a firewall may be between'],
  [/^(ENETUNREACH|EHOSTUNREACH)$/, 'there is no way to that network'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired, or the clock of this machine is wrong'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet, or the clock of this machine is wrong'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*)$/,
    'Node does not know who signed its certificate: set NODE_EXTRA_CA_CERTS',
  ],
]

/**
 * A code with its meaning: `ECONNREFUSED: nothing listens there`. Only the code if its meaning is not known.
 *
 * @param code of a failed connection, from Node, OpenSSL or undici
 */
export function explainSystemCode(code: string): string {
  const [, meaning] = MEANINGS.find(([codes]) => codes.test(code)) ?? []
  return meaning === undefined ? code : `${code}: ${meaning}`
}
