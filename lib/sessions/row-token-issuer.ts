import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import { missingMethods, type Store } from '../adapters/gateway.js'
import { isBearerToken } from '../kernel/bearer-token.js'
import { MissingAdapterMethods, SessionTokenError } from '../kernel/errors.js'
import { UNNAMED } from './row-index.js'
import { keepsSignInTime, type SessionRows } from './session-rows.js'
import type { SessionRecord, SessionStore, TokenBeginning } from './session-store.js'
import { requireSessionToken, rowSessionId, storedForm } from './stored-token.js'

/** The session in which a token is issued: the token of its cookie, and its user. */
interface IssuingSession extends SessionRecord {
  readonly token: string
  readonly user: AdapterUser
}

interface RowTokenDependencies {
  readonly store: Store
  readonly rows: SessionRows
  readonly instance: string | undefined
  readonly generateSessionToken: () => string
  /** Deletes a row in the background, by the stored form of its token. */
  readonly deleteLater: (stored: string) => void
}

/**
 * Refuses an adapter that cannot keep the kind of a session.
 *
 * @throws {MissingAdapterMethods} naming every method that issuing needs
 */
export function requireTokenMethods(store: Store): void {
  if (store.has('listSessionsByUserId')) return
  const missing = missingMethods(store.adapter, ['listSessionsByUserId', 'deleteSessionsByUserId'])
  throw new MissingAdapterMethods(`The adapter lacks ${missing.join(' and ')}. ${NO_DETAILS}`)
}

/** Issued tokens as rows of their own. The store has the digest of a token, as with every stored session. */
export function createRowTokenIssuer(dependencies: RowTokenDependencies): SessionStore<IssuingSession>['issueToken'] {
  const { store, rows, instance, generateSessionToken, deleteLater } = dependencies

  const rowOf = ({ user }: IssuingSession, sessionToken: string, beginning: TokenBeginning): AdapterSession => ({
    sessionToken,
    userId: user.id,
    expires: new Date(beginning.expires),
    kind: 'token',
    scope: beginning.scope,
    name: beginning.name,
    createdAt: new Date(beginning.issuedAt),
    lastSeenAt: null,
    userAgent: null,
    network: null,
    instance: instance ?? UNNAMED,
    // A program proves nothing about the person, so no rule about a recent sign-in lets it pass.
    ...(keepsSignInTime(store.adapter) && { authenticatedAt: null }),
  })

  /** A store that loses these members would make a browser session of the token, without a scope. */
  const isKept = async (token: string, { kind, scope, expires }: AdapterSession): Promise<boolean> => {
    const session = (await rows.find(token))?.session
    if (session === undefined || session.kind !== kind || (session.scope ?? null) !== scope) return false
    // Databases may keep no fractions of seconds.
    return session.expires.getTime() <= expires.getTime() + 1000
  }

  const withdraw = (stored: string): Promise<void> => rows.endStored(stored).catch(() => deleteLater(stored))

  return async (_request, found, beginning) => {
    const token = requireSessionToken(generateSessionToken())
    if (!isBearerToken(token)) throw new SessionTokenError(NOT_FOR_HEADERS)
    const stored = storedForm(token, instance)
    const row = rowOf(found, stored, beginning)
    await store.createSession(row)
    try {
      if (!(await isKept(token, row))) throw new SessionTokenError(LOST_DETAILS)
      // Looked up anew: a look-up that other requests wait for may have begun before the sessions of the user ended.
      if ((await rows.find(found.token)) !== null) return { token, id: rowSessionId(stored), expires: row.expires }
    } catch (error) {
      await withdraw(stored)
      throw error
    }
    await withdraw(stored)
    return null
  }
}

const NO_DETAILS =
  'Tokens for programs need an adapter that keeps their kind, their scope, and the time of the sign-in. See docs/guides/adapters.md.'

const NOT_FOR_HEADERS =
  'session.generateSessionToken gave a text that the header Authorization cannot have: only letters, digits and -._~+/ can be in a token for a program.'

const LOST_DETAILS =
  "No token was issued: the adapter's createSession() lost `kind`, `scope` or `expires` of the session. If it is a SQL database, run `npx latchkey migrate up`, which adds the columns."
