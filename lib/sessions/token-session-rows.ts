import type { AdapterTokenSession, ProviderSession, SessionDetails } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import { sha256Base64url } from '../kernel/digest.js'
import { AdapterError } from '../kernel/errors.js'
import { timeOf } from './lifetime.js'
import { ENDLESS_MS, type TokenSessionTimes } from './revoked-tokens.js'
import { type DecodedSessionToken, groupOf } from './session-claim.js'

/** What this process knows of a session in the revocation store. It is no copy of the row, because many are kept. */
export interface RegisteredSession {
  readonly isRevoked: boolean
  /** Whose session it is. */
  readonly userId: string
  /** When its user proved last who they are, milliseconds since the epoch; null if that is not known. Earlier tokens of it do not count. */
  readonly provedAt: number | null
  /** As this process has stored them, or tried to. The times are milliseconds since the epoch. */
  lastSeenAt: number | null
  /** When the newest token that a client has shown was issued; null if that is not known. */
  tokenIssuedAt: number | null
  /** When the row can be deleted. */
  expires: number
}

/** A session that begins, or that gets its row later. The times are milliseconds since the epoch. */
export interface NewTokenSession
  extends Omit<TokenSessionTimes, 'authenticatedAt'>,
    Pick<SessionDetails, 'name' | 'scope'> {
  readonly id: string
  readonly userId: string
  readonly createdAt: number | null
  readonly issuedAt: number | null
  /** Where it began; undefined if that is not known. */
  readonly at?: ProviderSession | undefined
}

/** The members of a row that do not depend on the session. */
interface RowSurroundings extends Pick<SessionDetails, 'userAgent' | 'network'> {
  readonly instance: string | undefined
  /** Milliseconds since the epoch. */
  readonly time: number
  /** When the row can be deleted. */
  readonly expires: Date
}

/** A row is kept so much longer than its session, because its expiry moves only with the uses that are stored. */
export const ROW_MARGIN_MS = 20 * 60 * 1000

/** The last time that all databases can store. A codec of the application may write any expiry. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z')

/** When the row of a session can be deleted. */
export const rowExpiry = (lastExpiry: number): Date => new Date(Math.min(lastExpiry + ROW_MARGIN_MS, LAST_TIME))

/** The row of a session. */
export const rowOf = (
  { id, userId, createdAt, issuedAt, kind = null, name = null, scope = null, at }: Omit<NewTokenSession, 'expires'>,
  { userAgent = null, network = null, instance, time, expires }: RowSurroundings,
): AdapterTokenSession => ({
  id,
  userId,
  createdAt: dateOf(createdAt),
  lastSeenAt: new Date(time),
  userAgent,
  network,
  kind,
  name,
  scope,
  instance: instance ?? null,
  ...at,
  expires,
  revokedAt: null,
  tokenIssuedAt: dateOf(issuedAt),
})

/** The row of a session that had none when it was revoked. No list shows it, so it needs no owner. */
export const endedRow = (
  id: string,
  surroundings: Pick<RowSurroundings, 'expires' | 'time' | 'instance'>,
): AdapterTokenSession => ({
  ...rowOf({ id, userId: id, createdAt: null, issuedAt: null }, surroundings),
  lastSeenAt: null,
  revokedAt: new Date(surroundings.time),
})

const dateOf = (time: number | null): Date | null =>
  time === null || time < 0 || time > LAST_TIME ? null : new Date(time)

/** A token with what the registry knows of its session. */
export interface RegisteredToken extends DecodedSessionToken {
  readonly registered?: RegisteredSession
}

/** A session that was revoked. */
export const ENDED: RegisteredSession = Object.freeze({
  isRevoked: true,
  userId: '',
  provedAt: null,
  lastSeenAt: null,
  tokenIssuedAt: null,
  expires: 0,
})

/** What a row says; null if there is none. */
export function registeredOf(row: AdapterTokenSession | null | undefined): RegisteredSession | null {
  if (!row) return null
  if (row.revokedAt === undefined) throw new AdapterError(NO_REVOCATION_TIME)
  if (row.revokedAt !== null) return ENDED
  return {
    isRevoked: false,
    userId: row.userId,
    provedAt: timeOf(row.createdAt),
    lastSeenAt: timeOf(row.lastSeenAt),
    tokenIssuedAt: timeOf(row.tokenIssuedAt),
    expires: timeOf(row.expires) ?? 0,
  }
}

const NO_REVOCATION_TIME =
  'The store gave a token session without `revokedAt`, so it is not known whether it was revoked. The member is null if it was not.'

/**
 * Whose session it is: the user that the token names. If it names none, it is the account at the provider. Visitors may
 * have typed the name of an account without a user themselves, so such a session belongs to nobody else.
 */
export function ownerOf({ userId, id, personDigest }: DecodedSessionToken): string {
  if (userId !== null) return ownerOfUser(String(userId))
  return personDigest === null || groupOf(personDigest) !== null ? `session ${id}` : ownerOfPersonDigest(personDigest)
}

/** The owner of the sessions of an account whose user has no lasting id. */
export const ownerOfPersonDigest = (personDigest: string): string => `subject ${personDigest}`

/** Whether the user of a session has no lasting id. */
export const isPersonDigestOwner = (owner: string): boolean => /^(?:subject|session) /.test(owner)

/**
 * The owner of the sessions of a user with a lasting id: the id itself, so that rows of earlier versions go on to count.
 * `authorize()` may give an id that visitors have chosen. So an id that looks like the owner of other sessions gets a prefix.
 */
export const ownerOfUser = (id: string): string => (/^(?:user:)*(?:subject|session) /.test(id) ? `user:${id}` : id)

/** The owner that a row has. In rows of earlier versions, the id of a user never had a prefix. */
export const ownerInRow = (owner: string, userId: string | null): string =>
  owner === String(userId) ? ownerOfUser(owner) : owner

/** Some columns have no milliseconds. */
const COLUMN_MS = 1000
const TRIES = 3

/**
 * From when on all sessions of a user were revoked. A session that began before revocation was configured has no row,
 * so no list has it. It gets its row at its next use, and is revoked then if it began before the cutoff.
 *
 * The cutoffs are each in a row between the token sessions. Its id has a prefix that no id of a session has, and the row is
 * its own owner: no list of sessions shows it.
 *
 * @param instance name of the instance; other instances have cutoffs of their own
 * @param now milliseconds since the epoch
 */
export function createTokenCutoffs(store: Store, instance: string | undefined, now: () => number) {
  const idOf = (userId: string) => `cutoff:${sha256Base64url(JSON.stringify([instance ?? null, userId]))}`

  const read = async (userId: string) => timeOf((await store.getTokenSession(idOf(userId)))?.revokedAt)

  return {
    /** Milliseconds since the epoch; null if the sessions of the user were never revoked together. */
    of: read,
    /** Moves the cutoff of a user to the present. */
    async move(userId: string): Promise<void> {
      const id = idOf(userId)
      // If another process has a clock that is ahead, its cutoff stays.
      const time = Math.max(now(), (await read(userId)) ?? 0)
      // No session without an expiry is older, so nobody needs an older cutoff.
      const expires = new Date(time + ENDLESS_MS)
      // Another process may write an earlier time at the same moment.
      for (let tries = 0; tries < TRIES; tries += 1) {
        await store.createTokenSession(endedRow(id, { expires, time, instance }))
        await store.updateTokenSession(id, { revokedAt: new Date(time), expires })
        if (((await read(userId)) ?? 0) > time - COLUMN_MS) return
      }
      throw new AdapterError('The store did not keep the time at which all sessions of a user were revoked.')
    },
  }
}
