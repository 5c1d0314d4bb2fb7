import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { createSecureContext } from 'node:tls'

/** A client certificate as PEM, and what Node.js needs to use it; or the authorities of servers alone. */
interface CertificateOptions {
  readonly cert?: string | Buffer | undefined
  readonly key?: string | Buffer | undefined
  readonly passphrase?: string | undefined
  readonly ca?: string | Buffer | (string | Buffer)[] | undefined
}

/** Whether Node.js can use a certificate with its key: both can be read, and belong together. The authorities can be read, too. */
export function isUsableCertificate({ cert, key, passphrase, ca }: CertificateOptions): boolean {
  try {
    createSecureContext({ cert, key, passphrase, ca })
    // What is no certificate is no authority, and no error either.
    for (const each of [ca ?? []].flat()) new X509Certificate(each)
    return true
  } catch {
    return false
  }
}

/** Statuses whose answers have no body; `Response` refuses to have one then. */
const WITHOUT_BODY = new Set([204, 205, 304])

/**
 * A `fetch` that shows a client certificate to every https server that it calls (RFC 8705 §2). It keeps connections open,
 * follows no redirect, and decodes no body; it asks for none that is encoded. It takes what `createBackChannel` gives it:
 * a URL, headers as a plain object, and a body that is a text or `URLSearchParams`.
 */
export function createCertificateFetch(options: CertificateOptions): typeof fetch {
  const { cert, key, passphrase, ca } = options
  const agent = new Agent({ cert, key, passphrase, ca, keepAlive: true })
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    // Plain http has no certificates. The back channel decides whether it is allowed at all.
    if (url.protocol !== 'https:') return fetch(input, init)
    const body = init?.body === undefined || init.body === null ? undefined : bodyOf(init.body)
    const headers = Object.fromEntries(new Headers(init?.headers))
    // An error that is thrown in a callback of node:https would end the process. So the callbacks only pass on what they got.
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request(url, {
        agent,
        method: init?.method ?? 'GET',
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        },
        ...(init?.signal && { signal: init.signal }),
      })
      call.once('response', resolve)
      // Not once: a second error without a listener would end the process, too.
      call.on('error', reject)
      // After an answer, it says nothing. Without one, the server has changed the protocol (RFC 9110 §15.2.2).
      call.once('close', () => reject(new Error('The connection was closed without an answer.')))
      call.end(body)
    })
    try {
      return responseOf(answer)
    } catch (error) {
      answer.destroy()
      throw error
    }
  }
}

/** @throws {Error} when it is no HTTP answer to `Response` or `Headers`: a status below 200 or above 599, for instance */
function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 502, headersDistinct } = answer
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value)
  if (!WITHOUT_BODY.has(status)) return new Response(bodyStream(answer), { status, headers })
  answer.resume()
  return new Response(null, { status, headers })
}

/** The body as a stream. Unlike `Readable.toWeb`, it has no callback of an event that could throw. */
function bodyStream(answer: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void answer.destroy(),
  })
}

function bodyOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('A call with a client certificate has a body that is a text or URLSearchParams.')
}
