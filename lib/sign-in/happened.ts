import type { MaybePromise } from '../kernel/awaitable.js'
import type { CookieChange } from '../kernel/cookies.js'
import { publishSignIn } from '../kernel/diagnostics.js'
import { AuthError, withoutDetails } from '../kernel/errors.js'
import type { SignOutMessage } from '../sessions/logout.js'
import type { Identity, SettledUser } from '../users/identity.js'
import { keepLastProvider } from './last-provider.js'
import { forgetOwnSignIn } from './own-sign-in.js'
import { clearTransactions } from './transaction-cookies.js'
import type { Visit } from './visit.js'

/** Who has come in, or has added something, and as whom a provider, `authorize` or a passkey knows them. */
interface Arrived extends SettledUser {
  readonly identity: Identity
}

/** A session that has ended. */
interface Ended {
  readonly message: SignOutMessage
  /** Whose tokens of providers are revoked with it; null for nobody's. */
  readonly revokesTokensOf?: string | null
}

/** Where a fact is told. */
type Place = Pick<Visit, 'config' | 'source'>

/** Hears of a fact, and may give cookies for the answer. It cannot refuse: what it throws is logged. */
type Hears<Where extends Place, Fact> = (at: Where, fact: Fact) => MaybePromise<readonly CookieChange[] | undefined>
type Listener = Hears<Visit, Arrived>

const emitSignIn: Listener = async ({ config, source }, { identity: { profile }, user, account, isNewUser }) => {
  const isDescribed = account.type !== 'credentials'
  const more = { ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
  await config.emit('signIn', { user, account, ...(isDescribed && more) }, source)
}

const publish: Listener = (_visit, { account: { provider, type }, isNewUser = false }) => {
  publishSignIn({ provider, type, isNewUser })
}

/** The owner of an account learns of a further way to sign in. */
const mailOwner: Listener = async ({ config, origin, header, source }, { added, user, account: { provider } }) => {
  const kind = added === 'passkey' ? 'passkey-added' : 'account-linked'
  const acceptLanguage = header('accept-language')
  if (added) await config.notices?.send({ kind, userId: user.id, provider, origin, acceptLanguage, source })
}

/** A sign-in replaces the CSRF token, because an attacker may have planted it (fixation). */
const renewCsrfToken: Listener = ({ config, cookies, specs }) => config.csrf?.renew(cookies, specs.csrfToken)

/** A mailed link asks from now on before it signs somebody in. Other tabs may end their sign-ins, if they are those of the same person. */
const endMailedLinks: Listener = (visit) => clearTransactions(visit, 'email')

/** A sign-out that is still under way is that of the session before, and perhaps of another person. */
const endSignOuts: Listener = (visit) => clearTransactions(visit, 'logout')

const noteProvider: Listener = (visit, { account }) => keepLastProvider(visit, account.provider)

const noteOwnSignIn: Listener = (visit, { identity, user }) =>
  identity.isUnbound ? forgetOwnSignIn(visit) : visit.config.ownSignIns.note(visit, user)

const ENTERED = [
  emitSignIn,
  publish,
  mailOwner,
  renewCsrfToken,
  endMailedLinks,
  noteProvider,
  noteOwnSignIn,
  endSignOuts,
]

/**
 * The event `linkAccount` was emitted when the addition was stored. Nothing is kept that says who the visitor is: what was added
 * may belong to the owner of the account, in a session that somebody planted.
 */
const ADDED = [mailOwner]
/** A sign-in that added something to whoever is signed in: applications of Auth.js get its event. */
const ADDED_BY_SIGN_IN = [mailOwner, emitSignIn, publish]

const ENDED: readonly Hears<Place, Ended>[] = [
  async ({ config, source }, { message }) => {
    await config.emit('signOut', message, source)
  },
  async ({ config, source }, { revokesTokensOf = null }) => {
    if (revokesTokensOf !== null) await config.accountTokens.revokeAllOf(revokesTokensOf, source)
  },
]

/** Tells of what is true already. Of a failure, `reportFailure` of the engine tells; of what was removed, the operation that did it. */
export const happened = {
  /** Somebody has signed in. Gives cookies for the answer. */
  entered: (visit: Visit, arrived: Arrived) => tell(ENTERED, visit, arrived),
  /** Something was added to the user who is signed in, or was theirs already. */
  added: (visit: Visit, arrived: Arrived) =>
    tell(arrived.identity.linkSessionDigest ? ADDED : ADDED_BY_SIGN_IN, visit, arrived),
  /** A session has ended: its user has signed out, here or at a provider. */
  ended: (at: Place, ended: Ended) => tell(ENDED, at, ended),
}

async function tell<Where extends Place, Fact>(
  listeners: readonly Hears<Where, Fact>[],
  at: Where,
  fact: Fact,
): Promise<readonly CookieChange[]> {
  const cookies: CookieChange[] = []
  for (const listener of listeners) {
    try {
      cookies.push(...((await listener(at, fact)) ?? []))
    } catch (error) {
      const fault = new AuthError('Not everything was told of a sign-in or a sign-out.', { err: withoutDetails(error) })
      at.config.logger.error(fault, at.source)
    }
  }
  return cookies
}
