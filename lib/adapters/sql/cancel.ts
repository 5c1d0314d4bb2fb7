/*
 * Both drivers can send these requests, and neither has a method for them that uses the settings and the TLS of the pool.
 */

/** How long a server may take to end a statement after the request to cancel it, in milliseconds. */
export const CANCEL_MS = 500

/** A connection of `pg` below its client, as far as a cancel request needs it. */
interface PostgresWire {
  readonly ssl?: unknown
  readonly sslNegotiation?: string
  readonly stream: { destroy(): void }
  on(event: 'connect' | 'sslconnect' | 'end' | 'error', listener: () => void): unknown
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: unknown): void
}

/** What a pool of `pg` makes its clients with, and what a client knows of its server after it has connected. */
interface Maker {
  readonly Client?: new (options: object) => { readonly connection?: PostgresWire }
  readonly options?: object
}
interface Connected {
  readonly processID?: number | null
  readonly secretKey?: unknown
  readonly host?: string
  readonly port?: number
}

/**
 * Asks PostgreSQL to cancel the statement of a client, over another connection with the settings and the TLS of the
 * pool. Ends when the request was delivered, or could not be delivered. Nothing says whether there was a statement to
 * cancel.
 */
export function cancelPostgres(pool: object, client: object): Promise<void> {
  const { Client, options } = pool as Maker
  const { processID, secretKey, host, port } = client as Connected
  return delivered((done) => {
    if (!Client || !processID || host === undefined || port === undefined) return undefined
    const wire = new Client(options ?? {}).connection
    if (!wire) return undefined
    const send = () => wire.cancel(processID, secretKey)
    wire.on('error', done)
    wire.on('end', done)
    wire.on('sslconnect', send)
    wire.on('connect', () => {
      if (!wire.ssl) send()
      else if (wire.sslNegotiation !== 'direct') wire.requestSsl()
    })
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`)
    else wire.connect(port, host)
    return () => wire.stream.destroy()
  })
}

/** A connection of `mysql2`, as far as it is used to end the statement of another connection. */
interface MysqlWire {
  readonly threadId?: number | null
  readonly config?: object
  readonly stream?: { destroy?(): void }
  on(event: 'error', listener: () => void): unknown
  query(text: string, done: () => void): void
  destroy(): void
}

/**
 * Asks MySQL or MariaDB to end the statement of a connection, over another connection with the same settings, as
 * {@link cancelPostgres}.
 */
export function cancelMysql(connection: object): Promise<void> {
  const { threadId, config } = connection as MysqlWire
  return delivered((done) => {
    if (!threadId || !config) return undefined
    // It uses the class of the given connection, because the driver may be another copy than the one that could be
    // imported here.
    const Wire = connection.constructor as new (pool: null, options: object) => MysqlWire
    const wire = new Wire(null, { config })
    wire.on('error', done)
    wire.query(`kill query ${Number(threadId)}`, done)
    return () => {
      wire.destroy()
      wire.stream?.destroy?.()
    }
  })
}

/**
 * Ends when the request is done, and at the latest when the time of the server is over.
 *
 * @param begin gives the function that closes the connection; undefined if there is none
 */
async function delivered(begin: (done: () => void) => (() => void) | undefined): Promise<void> {
  let close: (() => void) | undefined
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CANCEL_MS)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    try {
      close = begin(done)
    } catch {
      // Drivers that only look like these two may be unable to cancel.
    }
    if (!close) done()
  })
  close?.()
}
