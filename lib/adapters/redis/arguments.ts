import { InvalidConfiguration } from '../../errors.js'
import { isPlainObject, isPromise } from '../../shapes/describe-value.js'
import { object } from '../../shapes/object-shape.js'
import { type Shape, text, timeLimit } from '../../shapes/shape.js'
import { allMisplaced, argumentProblems, placeProblem } from '../check-argument.js'
import { CLIENT_METHODS, type RedisClient } from './client.js'
import type { RedisServer } from './connect.js'

const IN_URL = 'is a part of the URL: { url: "redis://user:password@host:6379/0" }.'
const IN_FIRST = 'belongs in the first argument, which says where the server is.'
const IN_SECOND = 'belongs in the second argument, after what says where the server is.'
const IN_CLIENT = 'belongs in `client`: { url, client: { … } }.'

/** Its members are not checked here, because createClient() checks them. */
const CLIENT_OPTIONS: Shape = { expected: 'an object, the options of createClient()', fits: isPlainObject }

const SERVER: Shape = object<RedisServer>(
  { url: text, client: CLIENT_OPTIONS },
  {
    misplaced: {
      ...allMisplaced(['prefix', 'commandTimeout'], IN_SECOND),
      ...allMisplaced(['host', 'port', 'username', 'password', 'database', 'db'], IN_URL),
      ...allMisplaced(['socket', 'name', 'RESP', 'pingInterval', 'disableOfflineQueue'], IN_CLIENT),
    },
  },
)

const OPTIONS: Shape = object<{ prefix?: string; commandTimeout?: number }>(
  { prefix: text, commandTimeout: timeLimit },
  { misplaced: allMisplaced(['url', 'client', 'socket'], IN_FIRST) },
)

const SERVER_FORM =
  'Call it: redisAdapter({ url: "redis://…", client }), or with a client of the "redis" package that is connected.'

/** Whether the argument is a client, complete or not: an object that is not a literal, or has a method of clients. */
export const isClientLike = (given: RedisClient | RedisServer): given is RedisClient => {
  if (typeof given !== 'object' || given === null || isPromise(given)) return false
  return !isPlainObject(given) || CLIENT_METHODS.some((method) => typeof given[method] === 'function')
}

/** @throws {InvalidConfiguration} when it does not say where a server is, or has options that would have no effect */
export function checkServer(server: unknown): asserts server is RedisServer {
  const problem = problemWithServer(server)
  if (problem !== null) throw new InvalidConfiguration(`redisAdapter(): ${problem} ${SERVER_FORM}`)
}

function problemWithServer(server: unknown): string | null {
  if (typeof server === 'string') return 'the server is a string. Give it as { url }.'
  const problems = argumentProblems(server, SERVER, { subject: 'The server is' })
  if (problems !== null) return problems
  const given = server as Readonly<Record<string, unknown>>
  if (!('url' in given)) return 'nothing says where the server is.'
  const missing = placeProblem('url', given['url'])
  if (missing !== null) return missing
  return /^rediss?:\/\//i.test(String(given['url'])) ? null : '`url` must begin with redis:// or rediss://.'
}

/** @throws {InvalidConfiguration} when an option is unknown or of a wrong type */
export function checkOptions(options: unknown): void {
  const problems = argumentProblems(options, OPTIONS, {
    subject: 'The options are',
    form: 'Call it: redisAdapter({ url }, { prefix, commandTimeout }).',
  })
  if (problems !== null) throw new InvalidConfiguration(`redisAdapter(): ${problems}`)
}
