import { connect } from 'node:net'

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly setCookie: readonly string[]
  readonly body: string
}

export interface RawRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends a request as it is written: no client straightens its path, its method or its headers. */
export function sendRaw(origin: string, target: string, { method = 'GET', headers = {}, body = '' }: RawRequest = {}) {
  const { hostname, port, host } = new URL(origin)
  const all = { host, connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return new Promise<RawAnswer>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.concat([head, Buffer.from(body)])))
    socket.setTimeout(5000, () => socket.destroy(new Error(`no answer to ${method} ${target.slice(0, 80)}`)))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('latin1'))))
  })
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [status = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n')
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(status.split(' ')[1]),
    headers: new Map(pairs),
    setCookie: pairs.filter(([name]) => name === 'set-cookie').map(([, value]) => value),
    body: end < 0 ? '' : text.slice(end + 4),
  }
}
