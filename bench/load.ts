import { connect, type Socket } from 'node:net'

/** Does something so many times, and waits until all are done. */
export type Load = (times: number) => Promise<void>

/** How many requests are under way at a time: enough that the server never waits for the next request. */
export const CONNECTIONS = 20

/**
 * One persistent HTTP connection to a server on this machine, with one request at a time. It costs less than a general client:
 * the server must never wait for the program that sends the requests.
 */
export class Connection {
  readonly #socket: Socket
  #received = ''
  #resolve: (answer: string) => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
    this.#socket.on('data', (text) => {
      this.#received += text
      if (!isWhole(this.#received)) return
      this.#resolve(this.#received)
      this.#received = ''
    })
    this.#socket.on('error', (error) => this.#reject(error))
    this.#socket.on('close', () => this.#reject(new Error('The server closed the connection.')))
  }

  /** @throws {Error} when the response is not a 200 that matches a pattern: the figure of a wrong answer would be worth nothing */
  async get(request: string | Buffer, shows = /^/): Promise<void> {
    const answer = await new Promise<string>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket.write(request)
    })
    if (!answer.startsWith('HTTP/1.1 200') || !shows.test(answer)) throw new Error(`${request}got\n${answer}`)
  }
}

/** Whether a response has all of its body. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(received)?.[1]
  if (end === -1) return false
  return length === undefined ? received.endsWith('\r\n0\r\n\r\n') : received.length >= end + 4 + Number(length)
}

/** @param cookies the header `Cookie`, or nothing */
export const requestOf = (host: string, path: string, cookies = ''): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${cookies && `Cookie: ${cookies}\r\n`}\r\n`)

/**
 * Opens connections to a server, for GET requests.
 *
 * @returns makes the load of a path, by people with these cookies; loads of the same connections must not overlap
 */
export function openConnections(origin: string): (path: string, cookies?: readonly string[], shows?: RegExp) => Load {
  const { host, port } = new URL(origin)
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(Number(port)))
  return (path, cookies = [], shows) => {
    const people = cookies.length > 0 ? cookies : ['']
    const clients = connections.map((connection, index) => {
      // Each person belongs to one connection, so that people come in the same order each time.
      const own = people.filter((_, person) => person % CONNECTIONS === index % people.length)
      const requests = own.map((cookie) => requestOf(host, path, cookie))
      let next = 0
      return () => connection.get(requests[next++ % requests.length] ?? '', shows)
    })
    return (times) => repeat(clients, times)
  }
}

/** Divides a number of tasks between workers. A worker takes the next task when its last one is done. */
export async function repeat(workers: readonly (() => Promise<unknown>)[], times: number): Promise<void> {
  let started = 0
  const takeTasks = async (work: () => Promise<unknown>) => {
    while (started++ < times) await work()
  }
  await Promise.all(workers.map(takeTasks))
}
