import { within } from '../../kernel/awaitable.js'
import type { AdapterError } from '../../kernel/errors.js'
import { timeoutError } from '../failures.js'
import { codeOf } from './faults.js'

/** Where a server is, as drivers name it. */
export interface Place {
  readonly host?: string | undefined
  readonly port?: number | string | undefined
}

export const named = (store: string, { host, port }: Place): string =>
  host ? `${store} at ${host}${port ? `:${port}` : ''}` : store

/** Waits for a connection of a pool. One that comes too late is given back unused. */
export async function connectInTime<Connection extends { release(): void }>(
  connecting: Promise<Connection>,
  store: string,
  milliseconds: number,
): Promise<Connection> {
  const late = () => timeoutError(`${store} gave no connection`, { option: 'queryTimeout', milliseconds })
  try {
    return await within(connecting, milliseconds, late)
  } catch (error) {
    connecting.then(
      (connection) => connection.release(),
      () => {},
    )
    throw error
  }
}

const noAnswer = (store: string, milliseconds: number): AdapterError =>
  timeoutError(`${store} gave no answer`, { option: 'queryTimeout', milliseconds })

/** One use of a connection, from when it was asked for until it is given back. */
export interface Use {
  /** Sends a statement, and waits for its answer as long as the use may last. */
  send(text: string, query: () => Promise<unknown>): Promise<unknown>
  /** Why the connection must not be used again; null when it may. */
  fault(): Error | null
}

export interface UseSettings {
  readonly milliseconds: number
  /** When the connection was asked for, by `performance.now()`. */
  readonly began: number
  /** The server, for the message that it gave no answer. */
  readonly store: string
  /** Asks the server to end the statement under way. */
  cancel(): Promise<void>
  /** Closes the connection at once. */
  close(fault: Error): void
  /** Whether a failure is due to the driver’s own limit. Then the connection is still busy with the statement. */
  isDriverLimit(error: unknown): boolean
}

/** Codes of statements that were cancelled. */
const CANCELLED: ReadonlySet<unknown> = new Set(['57014', 'ER_QUERY_INTERRUPTED'])

const isCancelled = (error: unknown): boolean => CANCELLED.has(codeOf(error))

/**
 * Codes of servers that take no writes, such as one that was the primary before a failover. A new connection may reach
 * another server; this one never does.
 */
const READ_ONLY: ReadonlySet<unknown> = new Set([
  '25006', // PostgreSQL: read_only_sql_transaction
  'ER_OPTION_PREVENTS_STATEMENT', // read_only, super_read_only
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_READ_ONLY_MODE', // innodb_read_only, as a reader of Aurora has it
  'ER_UNKNOWN_COM_ERROR', // Galera: this node has left the cluster
])

/**
 * All statements of a use have the same deadline, so that no transaction is committed after its callers have given it
 * up. A statement that runs at the deadline is cancelled at the server. The answer of the server within
 * {@link CANCEL_MS} is the outcome. Without an answer the server or the network is down: the connection is closed, and
 * the outcome is unknown. In both cases the connection is not used again, since the cancellation may reach it late.
 * Only a rollback is still sent.
 */
export function createUse({ milliseconds, began, store, cancel, close, isDriverLimit }: UseSettings): Use {
  let late: Error | null = null
  let closed: Error | null = null
  let readOnly: Error | null = null

  const closeFor = (error: Error): Error => {
    if (!closed) {
      closed = error
      close(error)
    }
    return error
  }

  const settle = async (answer: Promise<unknown>, error: Error): Promise<unknown> => {
    late = error
    void cancel()
    try {
      return await within(answer, Math.min(CANCEL_MS, milliseconds), () => closeFor(error))
    } catch (failure) {
      throw isCancelled(failure) ? error : failure
    }
  }

  const timeLeft = (isRollback: boolean): number => {
    const left = began + milliseconds - performance.now()
    return isRollback ? Math.max(left, CANCEL_MS) : left
  }

  return {
    async send(text, query) {
      if (closed) throw closed
      const isRollback = text === 'rollback'
      if (late && !isRollback) throw late
      const error = noAnswer(store, milliseconds)
      const left = timeLeft(isRollback)
      if (left <= 0) {
        late = error
        throw error
      }
      const answer = query().catch(async (failure: unknown) => {
        if (closed || !isDriverLimit(failure)) throw failure
        late = failure as Error
        await cancel()
        throw closeFor(late)
      })
      try {
        return await within(answer, left, () => error)
      } catch (failure) {
        if (READ_ONLY.has(codeOf(failure))) readOnly = failure as Error
        if (failure !== error) throw failure
        if (isRollback) throw closeFor(error)
        return settle(answer, error)
      }
    },
    fault: () => closed ?? late ?? readOnly,
  }
}

/** How long a server may take to end a statement after the request to cancel it, in milliseconds. */
const CANCEL_MS = 500

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

/** What a pool of `pg` makes its clients with. */
export interface PostgresMaker {
  readonly Client?: new (options: object) => { readonly connection?: PostgresWire }
  readonly options?: object
}

/** What a client of `pg` knows of its server after it has connected. */
interface ConnectedPostgres {
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
export function cancelPostgres({ Client, options }: PostgresMaker, client: unknown): Promise<void> {
  const { processID, secretKey, host, port } = client as ConnectedPostgres
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
export function cancelMysql(connection: unknown): Promise<void> {
  const { threadId, config } = connection as MysqlWire
  return delivered((done) => {
    if (!threadId || !config) return undefined
    // It uses the class of the given connection, because the driver may be another copy than the one that could be
    // imported here.
    const Wire = (connection as object).constructor as new (pool: null, options: object) => MysqlWire
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
