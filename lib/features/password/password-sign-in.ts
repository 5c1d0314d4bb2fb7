import type { AdapterUser } from '../../adapters/adapter.js'
import { CredentialsSignin } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { membersOf } from '../../kernel/objects.js'
import { isRemembered } from '../../pages/form-field.js'
import { requireEnabled } from '../../sessions/may-be-used.js'
import type { Entering } from '../../sign-in/feature.js'
import type { FlowPause, FlowResult } from '../../sign-in/flow.js'
import { showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { json } from '../../sign-in/outcome.js'
import type { Visit } from '../../sign-in/visit.js'
import type { NewPassword } from '../../users/identity.js'
import { serviceIn } from './operations.js'
import { chooseForm } from './pages.js'
import type { PasswordService } from './service.js'

/**
 * Ends a sign-in with an address and a password. Whether somebody has the address shows in nothing (PWD-10). After a temporary
 * password there is the form for another one, and no session.
 */
export async function signInWithPassword(visit: Visit): Promise<FlowResult | FlowPause> {
  const { fields, config } = visit
  const checkedFrom = config.now()
  const service = await serviceIn(config)
  const { store, passwords, links, addressOf, policy, provider } = service
  const email = addressOf(fields['email'], visit.source)
  const user = email === null ? null : ((await store.getUserByEmail(email)) ?? null)
  // An address that nobody has confirmed may be somebody else's.
  const owner = user?.emailVerified ? user : null
  const found = await passwords.check(owner && String(owner.id), textOf(fields['password']))
  // Only listeners learn of it, and no answer waits for them.
  if (owner) visit.keep.onFailure({ userId: String(owner.id) })
  if (owner === null || !found.isRight)
    throw new CredentialsSignin(`${provider}: the address or the password is wrong.`)
  const { version } = found
  if (!found.mustChange) return identified(visit, service, owner, { checkedFrom, version })
  if (config.refusesDisabledUsers) requireEnabled(owner)
  await happened.proved(visit)
  if (!visit.wantsPage) return { kind: 'answer', outcome: json({ error: 'Password', reason: 'must-change' }, [], 422) }
  const userId = String(owner.id)
  const link = { email: owner.email, isAfterTemporary: true, userId, version } as const
  // Whoever leaves the form open must not leave more than with a session.
  const token = await links.make(userId, link, config.recentAuthAge)
  const choice = { ...link, token, isRemembered: isRemembered(fields) }
  return { kind: 'answer', outcome: await showForm(visit, chooseForm(choice, policy.minLength)) }
}

/** Somebody with a password is who they say, as long as it is not changed before their session is there. */
export function identified(
  { fields }: Visit,
  { provider }: PasswordService,
  owner: AdapterUser,
  { checkedFrom, version }: { checkedFrom: number; version: number },
) {
  const { email } = owner
  const id = String(owner.id)
  const account = { providerAccountId: id, type: 'credentials', provider } as const
  const identity = {
    user: { ...membersOf(owner), id },
    account,
    credentials: { email },
    checkedFrom,
    passwordVersion: version,
  }
  return { kind: 'identity', identity, isRemembered: isRemembered(fields) } as const
}

/**
 * Lets nobody in with a password that was changed meanwhile. The one that they have chosen is stored here, once nothing is asked of
 * them any more: whoever reads the mail of somebody, and has not their second factor, changes nothing (MFA-04).
 *
 * @throws {CredentialsSignin} if it was changed
 */
export async function requireSamePassword(visit: Visit, { identity, user, isSettled }: Entering): Promise<null> {
  const { account, passwordVersion: version, newPassword } = identity
  if (version === undefined) return null
  const service = await serviceIn(visit.config)
  const versions = replacedBy(newPassword, version)
  const isSame =
    newPassword && isSettled
      ? await keepNew(visit, service, { ...newPassword, versions, userId: String((await user())?.id) })
      : versions.includes(await service.passwords.versionOf(newPassword?.forUser ?? identity.user.id))
  if (isSame) return null
  throw new CredentialsSignin(`${account.provider}: the password was changed meanwhile.`)
}

/** The states of a password that one that was chosen takes the place of: to confirm an address takes the password of before away. */
export const replacedBy = (chosen: NewPassword | undefined, version: number): readonly number[] =>
  chosen?.confirms ? [version, version + 1] : [version]

/**
 * Stores a password that was chosen. Gives whether it is the one that counts.
 *
 * @param chosen of whom, and in the place of which states
 */
async function keepNew(
  visit: Visit,
  { passwords, store }: PasswordService,
  chosen: NewPassword & { readonly versions: readonly number[]; readonly userId: string },
): Promise<boolean> {
  const { forUser, email, hash, versions, userId } = chosen
  const former = await passwords.find(userId)
  // Whoever asks again after the sign-in.
  if (former?.hash === hash) return true
  // If the address is of another user by now, or the user has another one, somebody else chose it.
  const isTheirs = async () => {
    const owner = await store.getUserByEmail(email)
    return Boolean(owner?.emailVerified) && String(owner?.id) === userId && (forUser ?? userId) === userId
  }
  if (!(await isTheirs())) return false
  const version = await passwords.versionOf(userId)
  if (!versions.includes(version)) return false
  const endSessions = async () => {
    if (forUser !== null && visit.config.endsSessions) await visit.sessions.revokeAllOf(userId)
  }
  // Before as well: if the store fails at that, nothing is stored.
  await endSessions()
  if (!(await passwords.putAfter(version, userId, { hash, mustChange: false }))) return false
  try {
    if (!(await isTheirs())) {
      // The user has another address since, and keeps the password of before.
      const back = former?.version === version ? former : null
      await passwords.putAfter(version + 1, userId, back, back?.first)
      return false
    }
  } catch (error) {
    // It counts, as far as is known.
    if (forUser !== null) await tellOwner(visit, userId)
    throw error
  }
  if (forUser === null) return true
  // Whoever knew the password of before is out, and the owner learns of it, also if the store fails between the two.
  await tellOwner(visit, userId)
  await endSessions()
  return true
}

/** Tells the owner of a password of a new one. */
export const tellOwner = (visit: Visit, userId: string) =>
  happened.changed(visit, {
    kind: 'password-changed',
    userId,
    remedyUrl: `${visit.mountUrl}/password`,
  })
