import { Connection } from './connection.js'
import { begin, type Extent } from './extent.js'

/** What is asked for, again and again. */
export interface Target {
  readonly path: string
  /** Values of the header `Cookie`, one for each visitor; each connection has its share of the visitors. */
  readonly cookies?: readonly string[]
}

/** What was done in a slice of time. */
export interface Done {
  /** Requests, or whatever was done again and again. */
  readonly times: number
  readonly seconds: number
}

/** Puts a server under load for a while. */
export type Activity = (extent: Extent) => Promise<Done>

/** How many requests are under way at any time: enough that the server never waits for the next. */
export const CONNECTIONS = 20

/** Connections to one server that stay open, for one target after another. */
export class Load {
  readonly #host: string
  readonly #connections: readonly Connection[]

  constructor(origin: string) {
    const { host, port } = new URL(origin)
    this.#host = host
    this.#connections = Array.from({ length: CONNECTIONS }, () => new Connection(Number(port)))
  }

  /** Asks for a target. Its slices must not overlap with those of another; they fail when an answer is not 200. */
  on(target: Target): Activity {
    const visitors = this.#connections.map((connection, index) => {
      const requests = requestsOf(target, this.#host, index)
      let next = 0
      return async () => {
        const { status } = await connection.exchange(requests[next] ?? '')
        // An error page is quick to make: a benchmark that measures one is worth nothing.
        if (status !== 200) throw new Error(`${this.#host}${target.path} answered ${status} under load.`)
        next = (next + 1) % requests.length
      }
    })
    return async (extent) => {
      const start = performance.now()
      const mayGoOn = begin(extent)
      let times = 0
      await Promise.all(
        visitors.map(async (visit) => {
          for (; mayGoOn(); times += 1) await visit()
        }),
      )
      return { times, seconds: (performance.now() - start) / 1000 }
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }
}

/** The requests of one connection, as bytes: every twentieth visitor is its own. */
function requestsOf({ path, cookies = [] }: Target, host: string, index: number): Buffer[] {
  const visitors = cookies.length > 0 ? cookies : ['']
  const own = visitors.filter((_, visitor) => visitor % CONNECTIONS === index % visitors.length)
  return own.map((cookie) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${cookie && `Cookie: ${cookie}\r\n`}\r\n`),
  )
}
