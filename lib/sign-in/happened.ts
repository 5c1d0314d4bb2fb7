import { setCookie } from '../kernel/cookies.js'
import { publishSignIn } from '../kernel/diagnostics.js'
import { type AccountChange, ENDING_CHANGES, type QuietChange } from './account-change.js'
import type { Config } from './config.js'
import { type Arrived, type Ended, type Failure, type Listener, pointsIn, tell } from './feature.js'
import { forgetNote } from './note.js'
import { forgetOwnSignIn } from './own-sign-in.js'
import { type Sent, type Visit, withoutRequest } from './visit.js'

type EntryListener = Listener<Visit, Arrived>

const emitSignIn: EntryListener = async ({ config, source }, { identity: { profile }, user, account, isNewUser }) => {
  const isDescribed = account.type !== 'credentials'
  const more = { ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
  await config.emit('signIn', { user, account, ...(isDescribed && more) }, source)
}

const publish: EntryListener = (_visit, { account: { provider, type }, isNewUser = false }) => {
  publishSignIn({ provider, type, isNewUser })
}

/** A sign-in replaces the CSRF token, because an attacker may have planted it (fixation). */
const renewCsrfToken: EntryListener = ({ config, cookies, specs }) => config.csrf?.renew(cookies, specs.csrfToken)

/** Seconds that a browser keeps the provider: a year, from the last sign-in. */
const KEPT_SECONDS = 365 * 24 * 60 * 60

/**
 * The cookie that keeps with which provider somebody has signed in. It has the id of the provider and nothing about the person,
 * and it stays after a sign-out, because the sign-in page is shown then.
 */
const noteProvider: EntryListener = ({ config, specs, urls }, { account }) =>
  // A page of the application does not show the mark.
  config.marksLastUsed && urls.ownPage('signIn') === undefined
    ? [setCookie(specs.lastProvider, account.provider, { maxAge: KEPT_SECONDS })]
    : []

const noteOwnSignIn: EntryListener = (visit, { identity, user }) =>
  identity.isUnbound ? forgetOwnSignIn(visit) : visit.config.ownSignIns.note(visit, user)

const ENTERED = [emitSignIn, publish, renewCsrfToken, noteProvider, noteOwnSignIn, forgetNote]

/**
 * The event `linkAccount` was emitted when the addition was stored. Nothing is kept that says who the visitor is: what was added
 * may belong to the owner of the account, in a session that somebody planted.
 */
const ADDED: readonly EntryListener[] = []
/** A sign-in that added something to whoever is signed in: applications of Auth.js get its event. */
const ADDED_BY_SIGN_IN = [emitSignIn, publish]

const emitSignOut: Listener<Sent, Ended> = async ({ config, source }, { message }) => {
  await config.emit('signOut', message, source)
}

/** Tells features and the application of what is true already. */
export const happened = {
  /** Somebody has shown a factor, and is not in yet, or was in already. */
  proved: (visit: Visit) => tell(pointsIn(visit.config).proved, visit, undefined),
  /** Somebody has signed in. Gives cookies for the answer. */
  entered: (visit: Visit, arrived: Arrived) => tell([...ENTERED, ...pointsIn(visit.config).entered], visit, arrived),
  /** Something was added to the user who is signed in, or was theirs already. */
  added(visit: Visit, arrived: Arrived) {
    const own = arrived.identity.linkSessionDigest ? ADDED : ADDED_BY_SIGN_IN
    return tell([...pointsIn(visit.config).added, ...own], visit, arrived)
  },
  /**
   * Somebody has changed something of an account, beside adding a way to sign in.
   *
   * @throws {AuthError} with `isEverywhere`, as {@link happened.changedByCode} does; with `at`, when the owner was not told
   */
  changed: (sent: Sent, change: AccountChange) =>
    tell(pointsIn(sent.config).changed, sent, change, change.isEverywhere || change.at !== undefined),
  /** The confirmation of an address has ended what its user signed in with. Of a password they are told if they choose none now. */
  async revokedByConfirmation(visit: Visit, { user, identity, revoked = [] }: Arrived): Promise<void> {
    const held = pointsIn(visit.config).holds.map(({ kind, removal }) => [kind, removal] as const)
    const removals = new Map<string, AccountChange['kind'] | undefined>(held)
    removals.set('accounts', 'account-unlinked').set('passkeys', 'passkey-removed')
    if (identity.newPassword) removals.delete('password')
    for (const each of revoked) {
      const kind = removals.get(each)
      if (kind) await happened.changed(visit, { kind, userId: String(user.id) })
    }
  },
  /**
   * Code of the application has stored a password, disabled a user, or ended sessions, without a request.
   *
   * @throws {AuthError} when something that was to end with it may not have ended: the code can call again
   */
  changedByCode: (
    config: Config,
    kind: QuietChange,
    userId: string,
    more: Pick<AccountChange, 'count' | 'isEverywhere'> = {},
  ) =>
    tell(
      pointsIn(config).changed,
      withoutRequest(config),
      { kind, userId, ...more },
      more.isEverywhere || ENDING_CHANGES.has(kind),
    ),
  /** A session has ended: its user has signed out, here or at a provider. */
  ended: (sent: Sent, ended: Ended) => tell([emitSignOut, ...pointsIn(sent.config).ended], sent, ended),
  /** Somebody has tried in vain. Nobody waits: how long that takes could say whether somebody has an account (PWD-10). */
  failed(visit: Visit, failure: Failure): void {
    const { failed } = pointsIn(visit.config)
    if (failed.length > 0) tell(failed, visit, failure)
  },
}

/** Id of the provider that was used last in this browser; null if none is known, or it is not configured any more. */
export function lastProviderOf({ config, cookies, specs }: Pick<Visit, 'config' | 'cookies' | 'specs'>): string | null {
  const id = config.marksLastUsed ? cookies.get(specs.lastProvider.name) : undefined
  return id !== undefined && config.providers.has(id) ? id : null
}
