import { Connection } from './client.js'

/** Does something so many times, and waits until all are done. */
export type Load = (times: number) => Promise<void>

/** How many requests are under way at a time: enough that the server never waits for the next request. */
export const CONNECTIONS = 20

/**
 * Opens connections to a server, for GET requests.
 *
 * @returns makes the load of a path, by people with these cookies. Each body must match `shows`. Loads of the same connections
 * must not overlap.
 */
export function openConnections(origin: string): (path: string, cookies?: readonly string[], shows?: RegExp) => Load {
  const { host, port } = new URL(origin)
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(Number(port)))
  return (path, cookies = [], shows = /^/) => {
    const people = cookies.length > 0 ? cookies : ['']
    const clients = connections.map((connection, index) => {
      // Each person belongs to one connection, so that people come in the same order each time.
      const own = people.filter((_, person) => person % CONNECTIONS === index % people.length)
      const requests = own.map((cookie) =>
        Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${cookie && `Cookie: ${cookie}\r\n`}\r\n`),
      )
      let next = 0
      return async () => {
        const { status, body } = await connection.send(requests[next] ?? '')
        // The figure of a wrong answer would be worth nothing.
        if (status !== 200 || !shows.test(body)) throw new Error(`${origin}${path} answered ${status}: ${body}`)
        next = (next + 1) % requests.length
      }
    })
    return (times) => repeat(clients, times)
  }
}

/** Divides a number of tasks between workers. A worker takes the next task when its last one is done. */
export async function repeat(workers: readonly (() => Promise<unknown>)[], times: number): Promise<void> {
  let started = 0
  await Promise.all(
    workers.map(async (work) => {
      while (started++ < times) await work()
    }),
  )
}
