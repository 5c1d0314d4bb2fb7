import { unwanted, whileWanted } from '../adapters/wanted.js'
import { type MaybePromise, within } from '../awaitable.js'
import { AdapterError } from '../errors.js'
import { type Client, hasLeft } from '../http/client.js'
import { copyOf } from './plain-copy.js'

/** A look-up that is under way, and the one that begins when it ends. */
interface Turn<T> {
  next: Batch<T> | null
}

/** Requests that get what one look-up finds. */
interface Batch<T> {
  readonly waiters: Waiter[]
  readonly found: Promise<T>
  readonly settle: (found: MaybePromise<T>) => void
}

interface Waiter {
  readonly client: Client | undefined
  gaveUp: boolean
}

const isWaiting = ({ client, gaveUp }: Waiter) => !gaveUp && !hasLeft(client)

/**
 * Look-ups by key, of which one runs at a time for each. Whoever comes while one runs gets what the next one finds, together with all who came meanwhile: never
 * what was read before they came, so that a sign-out that has ended is seen by everybody who comes after it (SESS-14). The next one is not made when
 * nobody waits for it any more. A store that answers at once is asked by everybody.
 *
 * @param lookUp gives rows of plain data, of which each request gets a copy; for rows that are none, each asks for itself
 * @param waitMs how long one request waits for its turn and the answer
 */
export function shareLookups<T>(
  lookUp: (key: string) => MaybePromise<T>,
  waitMs: number,
): (key: string, client: Client | undefined) => MaybePromise<T> {
  const turns = new Map<string, Turn<T>>()
  let answersLater = false

  const endOf = (key: string, turn: Turn<T>) => () => {
    const batch = turn.next
    turn.next = null
    if (!batch) turns.delete(key)
    else if (batch.waiters.some(isWaiting)) begin(key, turn, batch)
    else {
      turns.delete(key)
      batch.settle(Promise.reject(unwanted()))
    }
  }

  const begin = (key: string, turn: Turn<T>, batch: Batch<T>) => {
    const found = attempt(() =>
      whileWanted(
        () => batch.waiters.some(isWaiting),
        () => lookUp(key),
      ),
    )
    batch.settle(found)
    const end = endOf(key, turn)
    found.then(end, end)
  }

  const first = (key: string, client: Client | undefined): MaybePromise<T> => {
    if (!answersLater) return note(key, lookUp(key))
    if (hasLeft(client)) return Promise.reject(unwanted())
    return note(
      key,
      whileWanted(
        () => !hasLeft(client),
        () => lookUp(key),
      ),
    )
  }

  const note = (key: string, found: MaybePromise<T>): MaybePromise<T> => {
    if (!(found instanceof Promise)) return found
    answersLater = true
    const turn: Turn<T> = { next: null }
    turns.set(key, turn)
    const end = endOf(key, turn)
    found.then(end, end)
    return found
  }

  const join = async (key: string, turn: Turn<T>, client: Client | undefined): Promise<T> => {
    turn.next ??= createBatch<T>()
    const batch = turn.next
    const waiter: Waiter = { client, gaveUp: false }
    const isFirst = batch.waiters.push(waiter) === 1
    const found = await within(batch.found, waitMs, () => {
      waiter.gaveUp = true
      return tooLate(waitMs)
    })
    if (isFirst) return found
    const copy = copyOf(found)
    return copy === undefined ? lookUp(key) : (copy as T)
  }

  return (key, client) => {
    const turn = answersLater ? turns.get(key) : undefined
    return turn ? join(key, turn, client) : first(key, client)
  }
}

function createBatch<T>(): Batch<T> {
  let settle: (found: MaybePromise<T>) => void = () => {}
  const found = new Promise<T>((resolve) => {
    settle = resolve
  })
  // Whoever waited may have given up, and then nobody hears of a failure.
  found.catch(() => {})
  return { waiters: [], found, settle }
}

/** Work as a promise, whatever it gives or throws. */
const attempt = async <T>(work: () => MaybePromise<T>): Promise<T> => work()

const tooLate = (milliseconds: number) =>
  new AdapterError(`A session was not looked up within ${milliseconds / 1000} seconds (storeTimeout).`, {
    method: 'getSessionAndUser',
    storeTimeout: milliseconds / 1000,
  })
