import type { AdapterUser } from '../../adapters/adapter.js'
import { CredentialsSignin, RequestRefused } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { membersOf } from '../../kernel/objects.js'
import { randomId } from '../../kernel/random.js'
import { withParams } from '../../pages/action-urls.js'
import { isRemembered } from '../../pages/form-field.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { requireRecent } from '../../sessions/may-be-used.js'
import { leadsTo, partOfOne } from '../../sign-in/account-part.js'
import { addressPerson, askForMail } from '../../sign-in/ask-signin.js'
import { redirectTarget } from '../../sign-in/find-return-target.js'
import type { FlowPause, FlowResult } from '../../sign-in/flow.js'
import { mailFrom, type PageForm, showDone, showForm, showMailed, shownAgain } from '../../sign-in/form-page.js'
import { happened, keepLastProvider } from '../../sign-in/happened.js'
import { leadingToSignIn } from '../../sign-in/leading-to-sign-in.js'
import { changes } from '../../sign-in/list-actions.js'
import { act, type Caller, refuseSignedOut } from '../../sign-in/operation.js'
import { json, type Outcome, redirect } from '../../sign-in/outcome.js'
import { signIn } from '../../sign-in/sign-in.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import type { PasswordLink } from './links.js'
import { PASSWORDS, passwordOperations } from './operations.js'
import {
  askForm,
  CHANGED,
  changeForm,
  chooseForm,
  type FormRefusal,
  REMOVE,
  REMOVED,
  refused,
  sentForm,
} from './pages.js'
import { refusalOf } from './policy.js'
import type { PasswordService } from './service.js'

/**
 * Ends a sign-in with an address and a password. Whether somebody has the address shows in nothing (PWD-10). After a temporary
 * password there is the form for another one, and no session.
 */
export async function signInWithPassword(
  visit: Visit,
  provider: string,
  checkedFrom: number,
): Promise<FlowResult | FlowPause> {
  const { fields } = visit
  const { store, passwords, links, addressOf, policy } = await service(visit)
  const email = addressOf(fields['email'])
  const user = email === null ? null : ((await store.getUserByEmail(email)) ?? null)
  // An address that nobody has confirmed may be somebody else's.
  const owner = user?.emailVerified ? user : null
  const found = await passwords.check(owner && String(owner.id), textOf(fields['password']))
  if (owner === null || !found.isRight)
    throw new CredentialsSignin(`${provider}: the address or the password is wrong.`)
  if (found.mustChange) {
    if (!visit.wantsPage)
      return { kind: 'answer', outcome: json({ error: 'Password', reason: 'must-change' }, [], 422) }
    const { version } = found
    const userId = String(owner.id)
    const token = await links.make(userId, { email: owner.email, provider, userId, version })
    return {
      kind: 'answer',
      outcome: await showForm(
        visit,
        chooseForm(
          { token, email: owner.email, isAfterTemporary: true, isRemembered: isRemembered(fields) },
          policy.minLength,
        ),
      ),
    }
  }
  return identified(visit, owner, { provider, checkedFrom, version: found.version })
}

/** Somebody with a password is who they say, as long as it is not changed before their session is there. */
function identified(
  visit: Visit,
  owner: AdapterUser,
  { provider, checkedFrom, version }: { provider: string; checkedFrom: number; version: number },
) {
  const { fields } = visit
  const { email } = owner
  const id = String(owner.id)
  const account = { providerAccountId: id, type: 'credentials', provider } as const
  const recheck = async () => {
    const { passwords } = await service(visit)
    if ((await passwords.versionOf(id)) !== version)
      throw new CredentialsSignin(`${provider}: it was changed meanwhile.`)
  }
  const identity = { user: { ...membersOf(owner), id }, account, credentials: { email }, checkedFrom, recheck }
  return { kind: 'identity', identity, isRemembered: isRemembered(fields) } as const
}

/** GET password: asks for the address to which a link is mailed, for a first password or a new one. */
export const showAsk: Action = async (visit) => ownPage(visit) ?? showForm(visit, askForm(askedIn(visit)))

/** Who may not sign up is not asked to. */
const askedIn = ({ query, config }: Visit) => ({ isNew: query.has('new') && config.isSignUpOpen })

/**
 * POST password: mails a link. The answer is the same for every address, and so is the work: only the mail says whether somebody
 * has it (PWD-10).
 */
export const postAsk: Action = async (visit) => {
  const { fields } = visit
  const { links, passwords, store, sender, sendLink, addressOf } = await service(visit)
  const email = addressOf(fields['email'])
  const asked = askedIn(visit)
  if (email === null) return refuse(visit, askForm({ ...asked, entered: shownAgain(fields['email']) }), 'address')
  const user = (await store.getUserByEmail(email)) ?? null
  const elsewhere = await askForMail(visit.config.callbacks.signIn, addressPerson(email, sender, user))
  if (elsewhere !== null) return redirect(await redirectTarget(visit, elsewhere))
  const version = await passwords.versionOf(user ? String(user.id) : '')
  const userId = user && String(user.id)
  const token = await links.make(userId, { email, userId, version })
  const query = new URLSearchParams({ token, callbackUrl: await visit.returnTarget() })
  const link = { url: `${visit.mountUrl}/password/choose?${query}`, isKnown: user !== null }
  const unsent = await mailFrom(visit, askForm({ ...asked, entered: email }), () => sendLink(visit, email, link))
  return unsent ?? showMailed(visit, sentForm(email, asked), sender)
}

/** GET password/choose: the page that a mailed link opens. It uses nothing up: mail scanners open every link. */
export const showChoose: Action = async (visit) => {
  const token = textOf(visit.query.get('token'))
  const own = ownPage(visit, { token, callbackUrl: await visit.returnTarget() })
  if (own !== null) return own
  const link = await linkOf(visit, token)
  return link === null ? unusable(visit) : showForm(visit, await formOf(visit, token, link))
}

/** POST password/choose: stores the password, ends the other sessions of its owner, and signs them in. */
export const postChoose: Action = async (visit) => {
  const { links, store } = await service(visit)
  const token = textOf(visit.fields['token'])
  const link = await linkOf(visit, token)
  if (link === null) return unusable(visit)
  const password = textOf(visit.fields['newPassword'])
  const { userId, email } = link
  const user = userId === null ? null : await store.getUser(userId)
  const refusal = await refusalFor(visit, password, { userId, email, name: user?.name })
  if (refusal !== null) return refuse(visit, await formOf(visit, token, link), refusal)
  // Looked at again by the request that uses it up: another one may have chosen a password, or the address has changed.
  const taken = await links.take(token)
  if (taken === null || !(await isCurrent(visit, taken))) return unusable(visit)
  if (user?.emailVerified) return chooseNext(visit, taken, { user, password })
  return taken.provider === undefined ? chooseFirst(visit, taken, password) : unusable(visit)
}

/** Stores the password of somebody whose address is confirmed, and signs them in. */
async function chooseNext(
  visit: Visit,
  { email, provider, version }: PasswordLink,
  { user, password }: { readonly user: AdapterUser; readonly password: string },
): Promise<Outcome> {
  const { passwords, store } = await service(visit)
  const userId = String(user.id)
  if (!(await passwords.replace(userId, password, version))) return unusable(visit)
  // If the user has another address by now, somebody else chose it.
  if (String((await store.getUserByEmail(email))?.id) !== userId) {
    await passwords.revoke(userId)
    return unusable(visit)
  }
  // Whoever knew the password of before is out, and the owner learns of it.
  if (visit.config.endsSessions) await visit.sessions.revokeAllOf(userId)
  await tellOwner(visit, userId)
  if (provider === undefined) return signInByMail(visit, email)
  // After a temporary password, no mail was read.
  return signIn(visit, identified(visit, user, { provider, checkedFrom: visit.config.now(), version: version + 1 }))
}

/** Signs in somebody who is new, or whose address nobody has confirmed until now, and stores the password then. */
async function chooseFirst(visit: Visit, { email, userId }: PasswordLink, password: string): Promise<Outcome> {
  const { passwords, store } = await service(visit)
  // The session here stays until the sign-in, which sees in it that the owner of the user chooses, who keeps all ways in. For
  // anybody else, the sign-in ends every session.
  if (userId !== null && visit.config.endsSessions && (await visit.sessions.read(visit)).userId === userId)
    await visit.sessions.revokeOthers(visit)
  const outcome = await signInByMail(visit, email)
  const confirmed = await store.getUserByEmail(email)
  if (confirmed?.emailVerified) {
    const id = String(confirmed.id)
    // For anybody but the owner, the sign-in has ended the password of before. Of two sign-ups at once, one chooses.
    const isStored = await passwords.replace(id, password, userId === null ? 0 : await passwords.versionOf(id))
    if (isStored && id === userId) await tellOwner(visit, userId)
  }
  return outcome
}

/** Signs in whoever has read the mail that was sent to an address. */
async function signInByMail(visit: Visit, email: string): Promise<Outcome> {
  const { sender, provider } = await service(visit)
  const outcome = await signIn(visit, {
    kind: 'identity',
    identity: {
      user: { id: randomId(), email },
      account: { providerAccountId: email, type: 'email', provider: sender },
    },
    isRemembered: isRemembered(visit.fields),
  })
  // What they sign in with from now on.
  return { ...outcome, cookies: [...outcome.cookies, ...keepLastProvider(visit, provider)] }
}

/** GET password/change: for somebody who knows the password that they have. */
export const showChange: Action = leadingToSignIn('password/change', async (visit) => {
  const { userId } = await signedInUser(visit)
  const { passwords, policy } = await service(visit)
  // Who has none chooses the first one by mail, as at a sign-up.
  return (await passwords.find(userId)) === null
    ? redirect(visit.urls.action('password'))
    : (ownPage(visit) ?? showForm(visit, changeForm(policy.minLength)))
})

/** POST password/change: ends all other sessions. */
export const postChange: Action = leadingToSignIn('password/change', async (visit) => {
  const { fields } = visit
  const { passwords, policy } = await service(visit)
  const user = await signedInUser(visit)
  const { userId } = user
  const { isRight, version } = await passwords.check(userId, textOf(fields['password']))
  const form = changeForm(policy.minLength)
  if (!isRight) return refuse(visit, form, 'wrong')
  const password = textOf(fields['newPassword'])
  const refusal = await refusalFor(visit, password, user)
  if (refusal !== null) return refuse(visit, form, refusal)
  if (!(await passwords.replace(userId, password, version))) return refuse(visit, form, 'wrong')
  if (visit.config.endsSessions) await visit.sessions.revokeOthers(visit)
  await tellOwner(visit, userId)
  return done(visit, CHANGED)
})

/** GET password/remove: asks whether to. */
export const showRemove: Action = leadingToSignIn('password/remove', async (visit) => {
  const { userId } = await signedInUser(visit)
  const { passwords } = await service(visit)
  return (await passwords.find(userId)) === null ? redirect(visit.urls.action('password')) : showForm(visit, REMOVE)
})

/** POST password/remove: ends all other sessions. */
export const postRemove: Action = leadingToSignIn(
  'password/remove',
  changes('The configuration has no passwords.', async (caller, _fields, visit) => {
    await act(passwordOperations.removePassword, caller, [])
    return { body: { removed: true }, shows: await done(visit, REMOVED) }
  }),
)

/** An application with a page of its own says itself what was done. */
const done = async (visit: Visit, said: typeof CHANGED) =>
  visit.urls.ownPage('password') ? redirect(await visit.returnTarget()) : showDone(visit, said)

/** Whether the visitor has a password, and where they change it. */
export async function passwordPart(caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const { userId } = await caller.read()
  if (userId === null) return null
  const { passwords } = await service(visit)
  const isThere = await passwords.has(userId)
  return partOfOne(
    { title: pageText('field.password'), none: pageText('account.password.none') },
    isThere ? { name: pageText('account.password.isSet') } : null,
    isThere
      ? [
          leadsTo(visit, 'password/change', pageText('account.change')),
          leadsTo(visit, 'password/remove', pageText('account.remove')),
        ]
      : [leadsTo(visit, 'password', pageText('account.password.choose'))],
  )
}

const tellOwner = (visit: Visit, userId: string) =>
  happened.changed(visit, {
    kind: 'password-changed',
    userId,
    provider: null,
    remedyUrl: `${visit.mountUrl}/password`,
  })

async function service({ config }: Visit): Promise<PasswordService> {
  const load = config.services.get(PASSWORDS)
  if (load) return load()
  throw new RequestRefused(404, 'The configuration has no passwords.')
}

/** What a link is for; null if it does not count any more. */
async function linkOf(visit: Visit, token: string): Promise<PasswordLink | null> {
  const link = token === '' ? null : await (await service(visit)).links.look(token)
  return link !== null && (await isCurrent(visit, link)) ? link : null
}

const formOf = async (visit: Visit, token: string, { email, provider }: PasswordLink) => {
  const { policy } = await service(visit)
  const isAfterTemporary = provider !== undefined
  return chooseForm({ token, email, isAfterTemporary, isRemembered: isRemembered(visit.fields) }, policy.minLength)
}

/** Why somebody must choose another password; null if this one may be used. Whoever gave a temporary one knows it. */
async function refusalFor(
  visit: Visit,
  password: string,
  { userId, ...person }: { userId: string | null; email: string; name: string | null | undefined },
): Promise<FormRefusal | null> {
  const { passwords, policy } = await service(visit)
  const isTemporary = userId !== null && (await passwords.isTemporary(userId, password))
  return isTemporary ? 'same' : refusalOf(password, person, policy)
}

const refuse = async (visit: Visit, form: PageForm, reason: FormRefusal) =>
  showForm(visit, form, refused(reason, (await service(visit)).policy.minLength))

/** The link was used already, is older than an hour, or the password or the address has changed: another one can be mailed. */
const unusable = (visit: Visit) => refuse(visit, askForm(), 'link')

/** A link dies with every change of the password or of the address (PWD-08), and one that makes a user when there is one. */
async function isCurrent(visit: Visit, { email, userId, version }: PasswordLink): Promise<boolean> {
  const { store, passwords } = await service(visit)
  const owner = (await store.getUserByEmail(email)) ?? null
  if (userId === null || owner === null) return userId === null && owner === null
  return String(owner.id) === userId && (await passwords.versionOf(userId)) === version
}

/** @throws {RequestRefused} 401 if nobody is signed in; {RecentSignInRequired} if that was too long ago */
async function signedInUser(visit: Visit) {
  const reading = await visit.sessions.renew(visit)
  visit.keep.always('session', reading.cookies)
  const { userId, session } = reading
  if (userId === null || session === null) refuseSignedOut()
  requireRecent(reading, visit.config.recentAuthAge, visit.config.now, 'to change a password')
  // What the session shows may be older, or nothing: a callback of the application decides.
  const user = await (await service(visit)).store.getUser(String(userId))
  if (!user) refuseSignedOut()
  return { userId: String(userId), email: user.email ?? '', name: user.name }
}

/** Leads to the page of the application; null if it has none. */
function ownPage({ urls, origin }: Visit, params: Readonly<Record<string, string>> = {}): Outcome | null {
  const own = urls.ownPage('password')
  return own === undefined ? null : redirect(withParams(own, params, origin))
}
