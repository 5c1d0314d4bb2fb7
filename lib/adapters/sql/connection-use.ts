import { within } from '../../kernel/awaitable.js'
import type { AdapterError } from '../../kernel/errors.js'
import { timeoutError } from '../failures.js'
import { CANCEL_MS } from './cancel.js'
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
