import { createHash } from 'node:crypto'
import { isError } from '../../kernel/describe-value.js'
import { AdapterError, errorInstead, stackFrames } from '../../kernel/errors.js'

/**
 * The methods of a Redis client that the adapter calls. A client, a pool or a cluster of version 6 of the `redis`
 * package has them. It must be connected.
 */
export interface RedisClient {
  get(key: string): Promise<string | null>
  hGetAll(key: string): Promise<Record<string, string>>
  sMembers(key: string): Promise<string[]>
  eval(script: string, options: ScriptCall): Promise<unknown>
  evalSha(digest: string, options: ScriptCall): Promise<unknown>
}

/** Keys and arguments of a script. All keys of one call lie in one slot of a cluster. */
export interface ScriptCall {
  keys: string[]
  arguments: string[]
}

/** The methods of {@link RedisClient}. */
export const CLIENT_METHODS = ['get', 'hGetAll', 'sMembers', 'eval', 'evalSha'] as const

/** A Lua script, which Redis runs as one step. */
export interface Script {
  readonly body: string
  readonly digest: string
}

/** A script from its text. */
export const createScript = (body: string): Script => ({
  body,
  digest: createHash('sha1').update(body).digest('hex'),
})

/** What can search for keys: a client or a pool, or each primary of a cluster. */
export interface Scanner {
  scan(cursor: string, options: { MATCH: string; COUNT: number }): Promise<{ cursor: unknown; keys: string[] }>
}

/**
 * How many rows of one user are processed at once, so that the calls of other visitors need not wait for all of them.
 */
const AT_ONCE = 500

/**
 * Runs an action for all members of a list, for some at a time. After a failure, the actions that are done stay done.
 */
export async function inBatches<Member>(
  members: readonly Member[],
  work: (batch: Member[]) => Promise<unknown>,
): Promise<void> {
  for (let first = 0; first < members.length; first += AT_ONCE) await work(members.slice(first, first + AT_ONCE))
}

/** Gives the result of an action for each member of a list, for some at a time. */
export async function mapInBatches<Member, Result>(
  members: readonly Member[],
  work: (member: Member) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  await inBatches(members, async (batch) => {
    results.push(...(await Promise.all(batch.map(work))))
  })
  return results
}

/** Makes an {@link AdapterError} without values of rows from what a method threw. */
export function storeFailure(method: string, error: unknown): AdapterError {
  if (error instanceof AdapterError) return error
  return new AdapterError(`Redis failed at ${method}().`, { err: withoutValues(error), method })
}

/**
 * An error without the arguments that Redis repeats in some of its own, such as "unknown command 'x', with args
 * beginning with: …".
 */
function withoutValues(error: unknown): Error {
  if (!isError(error)) return errorInstead(error)
  const bare = new Error(error.message.replace(/,? with args beginning with.*/s, '').replace(/'[^']*'/g, "'…'"))
  bare.name = error.constructor.name
  bare.stack = [`${bare.name}: ${bare.message}`, ...stackFrames(error)].join('\n')
  if ('code' in error && typeof error.code === 'string') Object.assign(bare, { code: error.code })
  return bare
}

/**
 * A client with the types of reply that the adapter reads, whatever types the application has chosen for its own calls. A client
 * for which it has chosen none stays as it is: it may be wrapped in an object of the application's own.
 */
export function withOwnTypes<Client extends object>(client: Client): Client {
  const { _commandOptions: own, withTypeMapping } = client as {
    _commandOptions?: { typeMapping?: object }
    withTypeMapping?: (types: object) => Client
  }
  return own?.typeMapping ? (withTypeMapping?.call(client, {}) ?? client) : client
}
