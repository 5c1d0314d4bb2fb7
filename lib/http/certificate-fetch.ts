import { Agent, request } from 'node:https'
import { Readable } from 'node:stream'
import { createSecureContext } from 'node:tls'

/** A client certificate as PEM, and what Node.js needs to use it. */
export interface CertificateOptions {
  readonly cert: string | Buffer
  readonly key: string | Buffer
  readonly passphrase?: string | undefined
  readonly ca?: string | Buffer | (string | Buffer)[] | undefined
}

/** Whether Node.js can use a certificate with its key: both can be read, and belong together. */
export function isUsableCertificate({ cert, key, passphrase, ca }: CertificateOptions): boolean {
  try {
    createSecureContext({ cert, key, passphrase, ca })
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
    return new Promise((resolve, reject) => {
      const call = request(
        url,
        {
          agent,
          method: init?.method ?? 'GET',
          headers: {
            ...headers,
            'accept-encoding': 'identity',
            ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          },
          ...(init?.signal && { signal: init.signal }),
        },
        (answer) => {
          const { statusCode: status = 502, headersDistinct } = answer
          const received = new Headers()
          for (const [name, values = []] of Object.entries(headersDistinct))
            for (const value of values) received.append(name, value)
          const hasBody = !WITHOUT_BODY.has(status)
          if (!hasBody) answer.resume()
          resolve(
            new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream) : null, { status, headers: received }),
          )
        },
      )
      call.once('error', reject)
      call.end(body)
    })
  }
}

function bodyOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('A call with a client certificate has a body that is a text or URLSearchParams.')
}
