import { setImmediate as pause } from 'node:timers/promises'
import { driverFault } from '../adapters/failures.js'
import { loadOnce } from '../kernel/awaitable.js'
import { InvalidConfiguration, RequestRefused, withoutDetails } from '../kernel/errors.js'
import { isFirstTime, type Log } from '../kernel/logger.js'
import { commonJsExports } from '../kernel/packages.js'
import type { RequestContext } from '../kernel/request-context.js'
import { requireUserId } from './check-call-options.js'
import { timeOf } from './lifetime.js'
import { createRecentLookups } from './lookups.js'
import type { SessionReading } from './session.js'
import type { IndexedSession, SessionIndex } from './session-index.js'
import { endAll, endAllAt } from './session-index.js'
import type { ListedSession, ProviderLogout, SessionManager } from './session-manager.js'
import type { SessionVerb } from './session-store.js'

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
type SessionLists = Pick<
  SessionManager,
  'list' | 'listOf' | 'revokeById' | 'revokeOthers' | 'revokeAllOf' | 'revokeAllAt'
>

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
      forOwner(request, 'list', async ({ id, owner, index }) => describeAll(await index.list(owner), id, logger)),
    async listOf(userId) {
      const index = openIndex()
      return asFault('list', async () => describeAll(await index.list(index.ownerOfUser(userId)), null))
    },
    revokeById: (request, id) =>
      forOwner(request, 'end', async ({ owner, index }) => {
        const session = (await index.list(owner)).find((each) => each.id === id)
        if (session === undefined || !(await index.end(session))) return false
        return session.details.kind === 'token' ? 'token' : 'browser'
      }),
    revokeOthers: (request) =>
      forOwner(request, 'end', async ({ id: current, owner, index }) => {
        // The session of the request is known to the store, so it stays.
        await index.endUnlisted?.(owner)
        return endAll(index, { list: () => index.list(owner), isMeant: ({ id }) => id !== current })
      }),
    async revokeAllOf(userId) {
      const index = openIndex()
      const owner = index.ownerOfUser(requireUserId(userId, 'revokeAllSessions()'))
      return asFault('end', async () => {
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

/**
 * @param current id of the session of the request; null if there is none
 * @param logger absent where nobody is shown the list
 */
async function describeAll(
  sessions: readonly IndexedSession[],
  current: string | null,
  logger?: Log,
): Promise<readonly ListedSession[]> {
  const described: ListedSession[] = []
  for (const session of sessions) {
    // Other requests are served in between: names of browsers that are not known yet take a while.
    if (described.length % BETWEEN_PAUSES === BETWEEN_PAUSES - 1) await pause()
    described.push(await listed(session, session.id === current, logger))
  }
  return described.sort((one, other) => ageOrder(one) - ageOrder(other))
}

/** Newest first; those whose beginning is not known are the oldest. */
const ageOrder = ({ createdAt }: ListedSession): number => -(createdAt?.getTime() ?? 0)

async function listed(
  { id, expires, details }: IndexedSession,
  isCurrent: boolean,
  logger?: Log,
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

/** What a `User-Agent` header says, in words for a person. */
interface UserAgentWords {
  /** Name and version of the browser, such as `Firefox 141`; null if it is not known. */
  readonly browser: string | null
  /** The system that it runs on, such as `Windows` or `iOS 18`; null if it is not known. */
  readonly system: string | null
}

const UNKNOWN: UserAgentWords = { browser: null, system: null }

/** Longer headers are no browsers. */
export const MAX_USER_AGENT = 512

/**
 * Names the browser and the system of a `User-Agent` header (RFC 9110 §10.1.5). The client may send any text there, so the
 * words are names that the library `bowser` has in its own lists, and numbers. No part of the header itself is among them.
 *
 * @param userAgent null if it is not known
 * @param logger gets one warning if the words cannot be found out, because `bowser` is not installed
 */
export async function describeUserAgent(userAgent: string | null, logger?: Pick<Log, 'warn'>): Promise<UserAgentWords> {
  // The library takes four times as long for a header of many spaces.
  const text = userAgent?.slice(0, MAX_USER_AGENT).replace(/\s+/g, ' ').trim()
  if (!text) return UNKNOWN
  const loaded = await loadBowser()
  if (!('fault' in loaded)) return known.get(text, loaded)
  if (logger && isFirstTime(logger, 'user-agents-unnamed')) {
    logger.warn('user-agents-unnamed', { fix: loaded.fault.message })
  }
  return UNKNOWN
}

/** A header takes the library a tenth of a millisecond and more, and a list may have a thousand. Each needs about a kilobyte. */
const known = createRecentLookups(wordsOf, { seconds: Number.POSITIVE_INFINITY, now: () => 0, capacity: 2000 })

type Bowser = typeof import('bowser')

/** `bowser`, or why it cannot be used: the list of sessions does without it, so this never rejects. */
const loadBowser = loadOnce(async (): Promise<Pick<Bowser, 'parse' | 'BROWSER_MAP' | 'OS_MAP'> | { fault: Error }> => {
  // Bundlers take an import within `try` for one that may fail.
  try {
    return commonJsExports(await import('bowser'), 'parse')
  } catch (error) {
    return { fault: withoutDetails(driverFault('bowser', error)) }
  }
})

function wordsOf(
  text: string,
  { parse, BROWSER_MAP, OS_MAP }: Pick<Bowser, 'parse' | 'BROWSER_MAP' | 'OS_MAP'>,
): UserAgentWords {
  try {
    const { browser, os } = parse(text)
    const browserName = nameIn(browser.name, BROWSER_MAP)
    const systemName = nameIn(os.name, OS_MAP)
    return {
      browser: browserName && withVersion(browserName, major(browser.version)),
      system: systemName && withVersion(systemName, systemVersion(systemName, os.version, text)),
    }
  } catch {
    return UNKNOWN
  }
}

/** A name of the library. It takes other names from the header itself, and a stranger may have written that. */
const nameIn = (name: string | undefined, names: Readonly<Record<string, string>>): string | null =>
  name !== undefined && name !== 'Generic' && Object.values(names).includes(name) ? name : null

const withVersion = (name: string, version: string | null): string => (version === null ? name : `${name} ${version}`)

const major = (version: string | undefined): string | null => /^\d{1,4}(?=\.|$)/.exec(version ?? '')?.[0] ?? null

/**
 * The version of a system, where browsers tell the true one. Windows and macOS stay at 10 and at 10.15 in every header, as
 * Android does in those of Chrome. An iPhone stays at 18 since iOS 26; there the version of Safari is that of the system.
 */
function systemVersion(system: string, version: string | undefined, text: string): string | null {
  if (system === 'Android') return /Android 10; K\)/.test(text) ? null : major(version)
  if (system !== 'iOS') return null
  const ofSafari = /\bVersion\/(\d{2})(?=\.)/.exec(text)?.[1]
  return ofSafari !== undefined && Number(ofSafari) >= 26 ? ofSafari : major(version)
}
