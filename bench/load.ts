import { Pool } from 'undici'

/** Does something so many times, and waits until all are done. */
export type Load = (times: number) => Promise<void>

/** How many requests are under way at a time: enough that the server never waits for the next request. */
export const CONNECTIONS = 20

/**
 * Opens persistent connections to a server, for GET requests.
 *
 * @returns makes the load of a path, by people with these cookies, or by one visitor without cookies. Every body must match `shows`:
 * the figure of a wrong answer would be worth nothing.
 */
export function openConnections(origin: string, connections = CONNECTIONS) {
  // A connection is idle while other servers are measured.
  const pool = new Pool(origin, { connections, keepAliveTimeout: 600_000, headersTimeout: 0, bodyTimeout: 0 })
  return (path: string, cookies: readonly string[] = [], shows = /^/): Load => {
    let next = 0
    const get = async () => {
      const cookie = cookies[next++ % cookies.length]
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers: cookie ? { cookie } : {} })
      const text = await body.text()
      if (statusCode !== 200 || !shows.test(text)) throw new Error(`${origin}${path} answered ${statusCode}: ${text}`)
    }
    return (times) => repeat(Array<typeof get>(connections).fill(get), times)
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
