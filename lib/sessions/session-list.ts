import { setImmediate as pause } from 'node:timers/promises'
import { describeValue, isPromise, remedyFor } from '../kernel/describe-value.js'
import { InvalidConfiguration, RequestRefused } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import { usableId } from '../providers/profile-mapping.js'
import { endAll, endAllAt } from './end-sessions.js'
import { timeOf } from './lifetime.js'
import type { ListedSession } from './listed-session.js'
import type { ProviderLogout } from './logout.js'
import type { SessionManager, SessionReading } from './session.js'
import type { IndexedSession, SessionIndex } from './session-index.js'
import type { SessionVerb } from './session-store.js'
import { describeUserAgent } from './user-agent.js'

/** How many sessions are described without a pause. */
const BETWEEN_PAUSES = 25

interface SessionListDependencies {
  /** As {@link SessionStore.index}. */
  readonly openIndex: () => SessionIndex
  /** Reads the session of a request without renewing it. */
  readonly read: (request: RequestContext) => Promise<SessionReading>
  readonly logger: Log
  readonly faultOf: (verb: SessionVerb, error: unknown) => Error
}

/** The session of a request, and whose list it shows. */
interface Owned {
  readonly id: string
  readonly owner: string
  readonly index: SessionIndex
}

/** The part of a session manager that lists sessions and ends them. */
type SessionLists = Pick<SessionManager, 'list' | 'revokeById' | 'revokeOthers' | 'revokeAllOf' | 'revokeAllAt'>

/** Lists the sessions of users and ends them, the same for every store. */
export function createSessionLists({ openIndex, read, faultOf, logger }: SessionListDependencies): SessionLists {
  const asFault = async <T>(verb: SessionVerb, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof InvalidConfiguration ? error : faultOf(verb, error)
    }
  }

  /** Works for the user of a request; null when nobody is signed in. What `read` throws stays as it is. */
  const forOwner = async <T>(request: RequestContext, verb: SessionVerb, work: (found: Owned) => Promise<T>) => {
    const index = openIndex()
    const reading = await read(request)
    const { session, id, kind } = reading
    if (session === null || id === null) return null
    // A program has a token of its own, and can end only that.
    if (verb === 'end' && kind === 'token') throw new RequestRefused(403, ENDS_ITSELF_ONLY)
    return asFault(verb, async () => {
      const owner = await index.ownerOf(reading)
      return owner === null ? null : work({ id, owner, index })
    })
  }

  return {
    list: (request) =>
      forOwner(request, 'list', async ({ id: current, owner, index }) => {
        const sessions: ListedSession[] = []
        for (const session of await index.list(owner)) {
          // Other requests are served in between: names of browsers that are not known yet take a while.
          if (sessions.length % BETWEEN_PAUSES === BETWEEN_PAUSES - 1) await pause()
          sessions.push(await listed(session, session.id === current, logger))
        }
        return sessions.sort((one, other) => ageOrder(one) - ageOrder(other))
      }),
    revokeById: (request, id) =>
      forOwner(request, 'end', async ({ owner, index }) => {
        const session = (await index.list(owner)).find((each) => each.id === id)
        return session !== undefined && index.end(session)
      }),
    revokeOthers: (request) =>
      forOwner(request, 'end', async ({ id: current, owner, index }) => {
        // The session of the request is known to the store, so it stays.
        await index.endUnlisted?.(owner)
        return endAll(index, { list: () => index.list(owner), isMeant: ({ id }) => id !== current })
      }),
    async revokeAllOf(userId) {
      const index = openIndex()
      requireUserId(userId)
      return asFault('end', async () => {
        const owner = index.ownerOfUser(userId)
        await index.endUnlisted?.(owner)
        return endAll(index, { list: () => index.list(owner), isMeant: () => true })
      })
    },
    revokeAllAt(logout: ProviderLogout, onEnd) {
      const index = openIndex()
      const owner = logout.userId === null ? logout.owner : index.ownerOfUser(logout.userId)
      return asFault('end', () => endAllAt(index, { ...logout, owner }, onEnd, logger))
    },
  }
}

/** Newest first; those whose beginning is not known are the oldest. */
const ageOrder = ({ createdAt }: ListedSession): number => -(createdAt?.getTime() ?? 0)

async function listed(
  { id, expires, details }: IndexedSession,
  isCurrent: boolean,
  logger: Log,
): Promise<ListedSession> {
  const userAgent = details.userAgent ?? null
  const { browser, system } = await describeUserAgent(userAgent, logger)
  return {
    id,
    isCurrent,
    kind: details.kind === 'token' ? 'token' : 'browser',
    name: details.name ?? null,
    scope: details.scope ?? null,
    provider: details.provider ?? null,
    createdAt: dateOf(details.createdAt),
    lastSeenAt: dateOf(details.lastSeenAt),
    expires,
    userAgent,
    browser,
    system,
    network: details.network ?? null,
  }
}

const dateOf = (value: Date | null | undefined): Date | null => {
  const time = timeOf(value)
  return time === null ? null : new Date(time)
}

const ENDS_ITSELF_ONLY = 'An issued token can end only its own session.'

/**
 * A value that is no id, such as a promise or the text of `undefined`, would end nothing, and the caller would not notice.
 *
 * @throws {InvalidConfiguration}
 */
function requireUserId(userId: unknown): void {
  if (usableId(userId) !== null) return
  const isWord = typeof userId === 'string' || typeof userId === 'number'
  const what = `${describeValue(userId)}${isWord ? ' that names nobody' : ''}`
  const remedy = isPromise(userId) ? remedyFor(userId) : ''
  throw new InvalidConfiguration(
    `revokeAllSessions() got ${what}. It needs the id of a user, a text or a whole number.${remedy}`,
  )
}
