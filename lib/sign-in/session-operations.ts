import { object } from '../kernel/object-shape.js'
import { checkTokenRequest } from '../sessions/check-call-options.js'
import type { IssuedToken, ListedSession, SessionRevocation, TokenRequest } from '../sessions/session-manager.js'
import type { AccountChange, QuietChange } from './account-change.js'
import { type Config, sessionsWithoutCookies } from './config.js'
import { happened } from './happened.js'
import {
  type Asked,
  type FormProof,
  type Operation,
  optional,
  RECENT,
  type RecentSignIn,
  refuseSignedOut,
  sentBy,
} from './operation.js'
import { signOutHere } from './sign-out-here.js'

/** What must be true of a visitor who ends sessions. The age of their sign-in is not asked about their own current session. */
export interface RevocationOptions extends RecentSignIn {}

const check = optional(object<RevocationOptions>(RECENT))

/** A stranger at an open browser must not be able to sign its owner out everywhere. */
const recent = 'to end other sessions of theirs'

export const listSessions: Operation<[], readonly ListedSession[]> = {
  parameters: [],
  // The sessions say themselves whether somebody is signed in, and first, whether there is a list.
  forAnybody: true,
  run: async ({ sessions, context }) => (await sessions.list(context)) ?? refuseSignedOut(),
}

export const revokeSession: Operation<[id: string, options?: RevocationOptions], SessionRevocation> = {
  parameters: ['id', 'options'],
  check,
  changes: true,
  recent,
  letsPass: ({ reading }, id) => id === reading.id,
  async run(asked, id) {
    const { config, context, reading, sessions } = asked
    // A form may have brought anything.
    if (typeof id !== 'string') return { isRevoked: false, cookies: [] }
    if (id !== reading.id) {
      const kind = (await sessions.revokeById(context, id)) ?? refuseSignedOut()
      if (kind) await told(asked, kind === 'token' ? 'token-revoked' : 'session-ended')
      return { isRevoked: kind !== false, cookies: [] }
    }
    const { isEnded, cookies, fault } = await signOutHere(context, config)
    return { isRevoked: isEnded, cookies, ...(fault && { fault }) }
  },
}

export const revokeOtherSessions: Operation<[options?: RevocationOptions], number> = {
  parameters: ['options'],
  check,
  changes: true,
  recent,
  async run(asked) {
    const count = (await asked.sessions.revokeOthers(asked.context)) ?? refuseSignedOut()
    await told(asked, 'session-ended', { count, isEverywhere: true })
    return count
  },
}

/** The sign-in must be recent, and the request without a bearer token itself: the sessions ask for both. */
export const issueToken: Operation<[wanted: TokenRequest & FormProof], IssuedToken> = {
  parameters: ['{ maxAge }'],
  check: (wanted, call) => checkTokenRequest(wanted as TokenRequest, call),
  changes: true,
  forAnybody: true,
  async run(asked, wanted) {
    const issued = await asked.sessions.issueToken(asked.context, wanted)
    await told(asked, 'token-issued')
    return issued
  },
}

export async function revokeAllSessions(config: Config, userId: string): Promise<number> {
  const count = await sessionsWithoutCookies(config).revokeAllOf(userId)
  await happened.changedByCode(config, 'session-ended', String(userId), { count, isEverywhere: true })
  return count
}

/** Tells of a change, if the session names its user. */
async function told(
  asked: Asked,
  kind: QuietChange,
  more: Pick<AccountChange, 'count' | 'isEverywhere'> = {},
): Promise<void> {
  const { userId } = asked.reading
  if (userId !== null) await happened.changed(sentBy(asked), { kind, userId: String(userId), ...more })
}

export const sessionOperations = { listSessions, revokeSession, revokeOtherSessions, issueToken }
