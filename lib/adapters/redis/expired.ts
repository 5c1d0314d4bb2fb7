import { isError } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import type { DeleteExpiredOptions, ExpiredReport } from '../adapter.js'
import { type Pruning, startPruning } from '../expired.js'
import { type RedisClient, type Scanner, storeFailure, withOwnTypes } from './client.js'
import type { KeyKind, RedisDependencies } from './rows.js'
import * as scripts from './scripts.js'
import type { Emails, OwnedRows } from './users.js'

/** The parts of the adapter that delete the rows that were found. */
interface Remedies {
  readonly emails: Emails
  readonly owned: OwnedRows
}

/**
 * Deletes rows that do not expire: the remaining rows of users whose deletion was interrupted, and reservations of
 * addresses that nobody has. Redis itself deletes sessions and tokens of links when they expire.
 *
 * The users may be in another store. So passkeys of a user who is not in this Redis stay, unless the user was here
 * before. A set of accounts shows that the user was here, and so does the marker of a deletion that has begun.
 */
export async function deleteLeftovers(
  dependencies: RedisDependencies,
  remedies: Remedies,
  options: DeleteExpiredOptions = {},
): Promise<ExpiredReport> {
  const pruning = startPruning(options)
  try {
    for (const scanner of pruning.isStopped() ? [] : await scannersOf(dependencies.client)) {
      const { lists, emails } = dependencies.keys
      await eachFound(scanner, lists, pruning, (userId, list) =>
        endDeletion(dependencies, remedies, pruning, userId, list),
      )
      await eachFound(scanner, emails, pruning, (email) => releaseVoid(remedies, pruning, email))
    }
  } catch (error) {
    throw pruning.failure(storeFailure('deleteExpired', error))
  }
  return pruning.report()
}

async function endDeletion(
  { client, keys, run, rows }: RedisDependencies,
  remedies: Remedies,
  pruning: Pruning,
  userId: string,
  list: string,
) {
  if (list !== 'accounts' && list !== 'deletion') return 0
  if (await run(scripts.EXISTS, [keys.user(userId)])) return 0
  if (!pruning.dryRun) {
    // An earlier version wrote no marker.
    if (list === 'accounts')
      await run(scripts.MARK_DELETION, [keys.user(userId), keys.accountsOf(userId), keys.deletion(userId)])
    return remedies.owned.deleteAll(userId)
  }
  // A user may be found by two keys, and is counted by one of them.
  if (list === 'deletion' && (await run(scripts.EXISTS, [keys.accountsOf(userId)]))) return 0
  const accounts = await client.sMembers(keys.accountsOf(userId))
  const authenticators = await client.sMembers(keys.authenticatorsOf(userId))
  const owned = [...accounts, ...authenticators.map(keys.authenticator)]
  const found = await Promise.all(owned.map((key) => rows.find<{ userId: unknown }>(key)))
  return found.filter((row) => row && String(row.userId) === userId).length
}

async function releaseVoid({ emails }: Remedies, pruning: Pruning, email: string) {
  const reservation = await emails.voidReservation(email)
  if (reservation === null || pruning.dryRun) return reservation === null ? 0 : 1
  return Number(await emails.release(email, reservation))
}

interface ClusterClient {
  readonly masters: readonly unknown[]
  nodeClient(node: unknown): Promise<Scanner>
}

/** @throws {AdapterError} when a client has no `scan()` */
async function scannersOf(client: RedisClient): Promise<Scanner[]> {
  if ('masters' in client && 'nodeClient' in client) {
    const cluster = client as unknown as ClusterClient
    return Promise.all(cluster.masters.map(async (node) => withOwnTypes(await cluster.nodeClient(node))))
  }
  if ('scan' in client && typeof client.scan === 'function') return [client as unknown as Scanner]
  throw new AdapterError('deleteExpired() needs a client of the "redis" package with scan().')
}

/**
 * Searches the keys of one kind on one server, some at a time. If several keys of one owner are unreadable, they count as
 * one.
 *
 * @param work is done with each key; returns how many rows it deleted
 */
async function eachFound(
  scanner: Scanner,
  kind: KeyKind,
  pruning: Pruning,
  work: (owner: string, list: string) => Promise<number>,
): Promise<void> {
  // A user may have two keys, and one key may be on two pages.
  const unreadable = new Set<string>()
  let cursor = '0'
  do {
    if (pruning.isStopped()) return
    const began = Date.now()
    const page = await scan(scanner, cursor, kind.pattern, pruning.batchSize)
    cursor = String(page.cursor)
    // A key may come twice in a page.
    const found = [...new Set(page.keys)].map((key) => kind.read(key)).filter((parts) => parts !== null)
    const counts = await Promise.all(
      found.map(({ owner, list }) =>
        work(owner, list).catch((error: unknown) => {
          if (!isOfAnotherType(error)) throw error
          if (!unreadable.has(owner)) pruning.addUnreadable(1)
          unreadable.add(owner)
          return 0
        }),
      ),
    )
    const leftovers = counts.reduce((sum, count) => sum + count, 0)
    if (leftovers > 0) pruning.add({ leftovers })
    if (cursor !== '0') await pruning.pause(Date.now() - began)
  } while (cursor !== '0')
}

/**
 * Whether the key has a value of a type that no version of the adapter writes. The error of a script contains the same
 * text.
 */
const isOfAnotherType = (error: unknown): boolean => isError(error) && /\bWRONGTYPE\b/.test(error.message)

function scan(scanner: Scanner, cursor: string, pattern: string, count: number) {
  return scanner.scan(cursor, { MATCH: pattern, COUNT: count }).catch((error) => {
    if (!(isError(error) && error.message.startsWith('NOPERM'))) throw error
    throw new AdapterError('The user of Redis may not run SCAN: add "+scan" to its ACL.')
  })
}
