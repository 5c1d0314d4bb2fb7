import { connect, type Socket } from 'node:net'

/** A response. `head` is the status line and the headers as they came; `body` has one character for each byte. */
export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/**
 * One persistent HTTP connection to a server on this machine, with one request at a time. It costs less than a general client:
 * the server must never wait for the program that sends the requests.
 */
export class Connection {
  readonly #socket: Socket
  #received = ''
  #resolve: (answer: Answer) => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
    this.#socket.on('data', (text) => {
      this.#received += text
      const answer = readAnswer(this.#received)
      if (!answer) return
      this.#received = ''
      this.#resolve(answer)
    })
    this.#socket.on('error', (error) => this.#reject(error))
    this.#socket.on('close', () => this.#reject(new Error('The server closed the connection.')))
  }

  send(request: string | Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(request)
    })
  }
}

/** A whole response, or null while a part of it is missing. */
function readAnswer(received: string): Answer | null {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = received.slice(0, end)
  const status = Number(head.slice(9, 12))
  const body = received.slice(end + 4)
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  if (length !== undefined) return body.length >= Number(length) ? { status, head, body } : null
  if (status === 204 || status === 304) return { status, head, body: '' }
  return body.endsWith('0\r\n\r\n') ? { status, head, body: joinChunks(body) } : null
}

/** @see RFC 9112 §7.1 */
function joinChunks(chunked: string): string {
  const start = chunked.indexOf('\r\n') + 2
  const end = start + Number.parseInt(chunked, 16)
  return end === start ? '' : chunked.slice(start, end) + joinChunks(chunked.slice(end + 2))
}

const SET_COOKIE = /^set-cookie: ([^=\r]+)=([^;\r]*)(.*)$/gim
const EXPIRED = /;\s*(?:max-age=0\b|expires=[^;\r]* 1970 )/i

/** Keeps cookies for each origin. It follows no redirect by itself. */
export class Browser {
  readonly #connections = new Map<string, Connection>()
  readonly cookies = new Map<string, Map<string, string>>()

  /** The value of the header `Cookie` for an origin. */
  cookiesFor(origin: string): string {
    return Array.from(this.cookies.get(origin) ?? [], ([name, value]) => `${name}=${value}`).join('; ')
  }

  setCookie(origin: string, name: string, value: string): void {
    this.cookies.set(origin, (this.cookies.get(origin) ?? new Map<string, string>()).set(name, value))
  }

  /** Sends a request: a POST when there is a form or JSON. */
  async send(url: string, content?: object): Promise<Answer> {
    const { origin, host, port, pathname, search } = new URL(url)
    const lines = [`${content ? 'POST' : 'GET'} ${pathname}${search} HTTP/1.1`, `Host: ${host}`]
    const cookies = this.cookiesFor(origin)
    if (cookies) lines.push(`Cookie: ${cookies}`)
    const isForm = content instanceof URLSearchParams
    const body = isForm ? content.toString() : content ? JSON.stringify(content) : ''
    if (content) {
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
      lines.push(`Origin: ${origin}`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`)
    }
    const connection = this.#connections.get(host) ?? new Connection(Number(port))
    this.#connections.set(host, connection)
    const answer = await connection.send(`${lines.join('\r\n')}\r\n\r\n${body}`)
    for (const [, name = '', value = '', attributes = ''] of answer.head.matchAll(SET_COOKIE)) {
      if (EXPIRED.test(attributes)) this.cookies.get(origin)?.delete(name)
      else this.setCookie(origin, name, value)
    }
    return answer
  }
}
