import type { IncomingMessage } from 'node:http'
import {
  BODY_LIMIT_BYTES,
  type BodyFields,
  bodyKind,
  checkFields,
  decodeBody,
  NO_FIELDS,
  parseBody,
  refuseCompressed,
  tooLarge,
} from './body.js'
import { RequestRefused } from './errors.js'
import { type Incoming, once, readTarget } from './incoming.js'
import { addressOf } from './network.js'
import { parseCookies } from './request-cookies.js'

/** A Node request, with what Express, Connect and body parsers add to it. */
export interface NodeRequest extends IncomingMessage {
  originalUrl?: string
  baseUrl?: string
  body?: unknown
}

/**
 * A Node request as the engine reads it.
 *
 * @param strippedPrefix the beginning of its public path, if a proxy has cut it off
 */
export function incomingFromNode(req: NodeRequest, strippedPrefix = ''): Incoming {
  return {
    method: (req.method ?? 'GET').toUpperCase(),
    ...readTarget(strippedPrefix + targetOf(req)),
    cookies: parseCookies(req.headers.cookie),
    client: req,
    source: req,
    header: (name) => headerOf(req, name),
    clientAddress: () => addressOf(req),
    headers: () => webHeaders(req),
    fields: once(() => readFields(req)),
  }
}

/**
 * Path and query of the request, with the part that mounts have cut off, and without the authority that a proxy may put
 * before them (RFC 9112 §3.2.2).
 */
export const targetOf = (req: NodeRequest): string => withoutAuthority(req.originalUrl ?? req.url ?? '/')

/** The part of {@link targetOf} that mounts have left. */
export const mountedTargetOf = (req: NodeRequest): string => withoutAuthority(req.url ?? '/')

/** A target in origin form: it begins with a slash. */
function withoutAuthority(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return rest.startsWith('/') ? rest : rest.startsWith('?') ? `/${rest}` : '/'
}

/** A header's value, or undefined; `name` in lower case. */
export function headerOf(req: NodeRequest, name: string): string | undefined {
  const value = headerText(req.headers[name])
  return name === 'authorization' && value !== undefined ? everyAuthorization(req, value) : value
}

/**
 * Node gives the first of several headers, and a proxy may have checked another one. All of them together are no usable
 * credentials.
 */
function everyAuthorization({ rawHeaders = [] }: NodeRequest, first: string): string {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization')
  return values.length > 1 ? values.join(', ') : first
}

const headerText = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value)

function webHeaders(req: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    // Names that begin with a colon are HTTP/2's own, not headers.
    if (value !== undefined && !name.startsWith(':')) headers.set(name, headerText(value) ?? '')
  }
  return headers
}

/** The fields of the body: those that the application's own parser left in `req.body`, or read from the stream. */
async function readFields(req: NodeRequest): Promise<BodyFields> {
  const contentType = req.headers['content-type']
  const announced = Number(req.headers['content-length'] ?? 0)
  if (announced > BODY_LIMIT_BYTES) throw tooLarge()
  // HTTP/2 ends a body without announcing its length.
  const isAnnounced = req.headers['transfer-encoding'] === undefined && req.httpVersionMajor < 2
  const isEmpty = announced === 0 && (isAnnounced || req.headers['content-length'] !== undefined)
  const kind = bodyKind(contentType, isEmpty && !hasFields(req.body))
  if (typeof req.body === 'string') return parseBody(req.body, kind)
  if (Buffer.isBuffer(req.body)) return parseBody(decodeBody(req.body), kind)
  if (hasFields(req.body) || Array.isArray(req.body)) return checkFields(req.body, kind)
  if (kind === 'none' || isEmpty) return NO_FIELDS
  if (req.readableDidRead) {
    // A parser has read the stream. If it found no fields, `req.body` is an empty object. If it is undefined, it was
    // not a parser.
    if (req.body !== undefined) return NO_FIELDS
    throw new RequestRefused(400, 'The body was read before Latchkey could, and no req.body was left.')
  }
  refuseCompressed(req.headers['content-encoding'])
  return parseBody(decodeBody(await readBytes(req)), kind)
}

const hasFields = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.keys(body).length > 0

function readBytes(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (req.destroyed) reject(endedEarly())
    const chunks: Buffer[] = []
    let size = 0
    // A chunk is a text if the application has called `req.setEncoding`. An error here would end the process.
    req.on('data', (received: Buffer | string) => {
      const chunk = typeof received === 'string' ? Buffer.from(received, req.readableEncoding ?? 'utf8') : received
      size += chunk.length
      if (size > BODY_LIMIT_BYTES) {
        req.removeAllListeners('data')
        // The rest is read and dropped, so that the answer reaches a sender who is still sending.
        req.resume()
        reject(tooLarge())
      } else chunks.push(chunk)
    })
    req.on('end', () => resolve(Buffer.concat(chunks)))
    req.on('error', () => reject(endedEarly()))
    // The event comes after a complete body, too. Without the condition, each body would cost an error that nobody
    // gets.
    req.on('close', () => req.readableEnded || reject(endedEarly()))
  })
}

const endedEarly = () => new RequestRefused(400, 'The body ended early.')
