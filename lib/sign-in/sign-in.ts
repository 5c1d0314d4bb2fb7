import { loadOnce } from '../kernel/awaitable.js'
import { RequestRefused } from '../kernel/errors.js'
import { returnTargetCookie } from '../kernel/return-target.js'
import { parseUrl } from '../kernel/urls.js'
import { withParams } from '../pages/action-urls.js'
import { isRemembered } from '../pages/form-field.js'
import { joined } from '../sessions/authentication.js'
import { requireEnabled } from '../sessions/may-be-used.js'
import { type LifetimeChoice, personDigestOfAccount } from '../sessions/session-claim.js'
import type { Entry, Identity, SettledUser } from '../users/identity.js'
import { sessionChanged, signInAgain } from '../users/refusals.js'
import { NOBODY } from '../users/signed-in-user.js'
import { askSignIn, type ChosenTimes } from './ask-signin.js'
import { type Entering, type Proof, pointsIn, type Question } from './feature.js'
import { redirectTarget } from './find-return-target.js'
import { type FlowResult, flowOf } from './flow.js'
import { happened } from './happened.js'
import { type HeldSignIn, heldIn, hold, type PermittedEntry } from './held-sign-in.js'
import { lacksFactor } from './leading-to-sign-in.js'
import { type Outcome, redirect } from './outcome.js'
import { type Action, lookAtSession, type Visit } from './visit.js'

/** GET and POST callback: ends a sign-in with the response of a provider, or with the fields of a form. */
export const callback: Action = async (visit) => {
  const { provider } = visit
  if (!provider) throw new RequestRefused(404, 'A callback needs the id of a provider in its path.')
  // A form of Latchkey has the return target in it. Asks the `redirect` callback now, before `authorize()`, as Auth.js
  // does, and before a link is used up; `returnTarget()` remembers the result. The response of a provider has no return
  // target: the transaction has it.
  const flow = flowOf(visit.config, provider)
  if (!flow.keepsReturnTarget) await visit.returnTarget()
  visit.keep.onFailure({ isRemembered: isRemembered(visit.fields) })
  const result = await flow.finish(visit)
  if (result.kind === 'answer') return result.outcome
  return result.kind === 'identity' ? signIn(visit, result) : redirect(result.url)
}

/**
 * The one way from an identity to a session. Every flow ends here, so that no flow can forget a step.
 *
 * @throws {AccessDenied} when the `signIn` callback refuses or throws, or the user is disabled
 * @throws {SessionChanged} when another person has signed in since the sign-in began
 */
export async function signIn(visit: Visit, result: Extract<FlowResult, { kind: 'identity' }>): Promise<Outcome> {
  await visit.sessions.acting?.refuse(visit)
  visit.keep.onFailure({ isRemembered: result.isRemembered })
  const target = result.returnTarget ?? (await visit.returnTarget())
  const answered = await answeredBy(visit, result.identity, target)
  if (answered) visit.triedAs = answered.triedAs
  const returnTarget = answered?.returnTarget ?? target
  visit.keep.onFailure({ returnTarget })
  const found = await find(visit, {
    ...result.identity,
    ...chosenPasswordOf(answered, result.identity),
    source: visit.source,
  })
  if (found.owner) visit.keep.onFailure({ userId: String(found.owner.id) })
  const { entry, elsewhere, times } = await permit(visit, found)
  if (elsewhere !== null) return goTo(visit, await redirectTarget(visit, elsewhere), returnTarget)
  const remember = visit.config.asksToRemember ? (answered?.lifetime?.remember ?? result.isRemembered) : undefined
  const permitted = { ...entry, returnTarget, lifetime: lifetimeOf(remember, times) }
  return permitted.isAddition ? add(visit, permitted) : enter(visit, permitted)
}

/**
 * The sign-in that waits for a passkey of its user, if this one was asked for on its page. At another page, somebody else may have
 * begun it, and with the passkey of another user it goes on to nothing.
 */
async function answeredBy(visit: Visit, { account, user }: Identity, target: string): Promise<HeldSignIn | null> {
  const held = account.type === 'webauthn' ? await heldIn(visit) : null
  if (held?.userId !== String(user.id)) return null
  return parseUrl(target)?.pathname === parseUrl(visit.urls.action(held.asks))?.pathname ? held : null
}

/** Whoever answers with a passkey signs in with that, and still chooses the password that waits for the answer. */
function chosenPasswordOf(answered: HeldSignIn | null, { user }: Identity): Partial<Identity> {
  const { newPassword, passwordVersion = 0 } = answered?.identity ?? {}
  return newPassword?.forUser === String(user.id) ? { newPassword, passwordVersion } : {}
}

/**
 * Asks what is to be asked first, settles who the user is, creating one if need be, begins the session, and tells of it. Also where an
 * answered question goes on.
 */
export async function enter(visit: Visit, entry: PermittedEntry): Promise<Outcome> {
  const { config, sessions, origin } = visit
  const { identity, returnTarget, lifetime, proof } = entry
  const users = await config.users()
  const user = loadOnce(async () => (entry.owner ?? (await users.ownerOf(identity))) as SettledUser['user'] | null)
  const ask = askFeatures(visit)
  const before = (await ask?.({ identity, proof, user, isSettled: false })) ?? null
  if (isQuestion(before)) return hold(visit, entry, before)
  const settled = await users.settle(entry, () => visit.readPrincipal())
  await happened.revokedByConfirmation(visit, { identity, ...settled })
  const person = entry.isNewUser ? { ...settled, isNewUser: true } : settled
  // It may be somebody else than was found before, or somebody who is new.
  const entering = { identity, proof, user: async () => person.user, isSettled: true }
  const answer = ask ? await ask(entering) : null
  if (isQuestion(answer))
    return hold(
      visit,
      { ...entry, identity: withStoredPasskey(identity, person), isNewUser: person.isNewUser === true },
      answer,
    )
  const { profile, isIdMadeUp, account, providerSession = { provider: account.provider } } = identity
  const authentication = answer ? joined(identity.authentication, answer.authentication) : identity.authentication
  const start = {
    ...person,
    profile,
    lifetime,
    providerSession,
    ...(isIdMadeUp && { isIdMadeUp }),
    ...(authentication && { authentication }),
  }
  const session = await sessions.issue(visit, start).catch(async (error: unknown) => {
    await users.recheck(person, true)
    throw error
  })
  // If a check fails, the session is stored already, but its token is not sent.
  await users.recheck(person)
  // Two factors stay shown, though the session in which one was is over now.
  const shown = answer?.authentication.factors === 2 ? answer : proof
  if (ask && isQuestion(await ask({ ...entering, proof: shown }))) throw sessionChanged(account)
  const told = await happened.entered(visit, { identity, ...person, authentication })
  const welcome = person.isNewUser ? config.pages.newUser : undefined
  const target = welcome === undefined ? returnTarget : withParams(welcome, { callbackUrl: returnTarget }, origin)
  return goTo(visit, target, returnTarget, [...told, ...session])
}

/** Gives what features say of somebody who is about to sign in: the first question, or what was shown. Null if none is asked. */
function askFeatures(visit: Visit): ((entering: Entering) => Promise<Proof | Question | null>) | null {
  const { mayEnter } = pointsIn(visit.config)
  if (mayEnter.length === 0) return null
  return async (entering) => {
    let shown: Proof | null = null
    for (const ask of mayEnter) {
      const answer = await ask(visit, entering)
      if (isQuestion(answer)) return answer
      shown ??= answer
    }
    return shown
  }
}

/** A passkey that was made for somebody new is stored now: from here on they sign in with it. */
const withStoredPasskey = (identity: Identity, { user }: SettledUser): Identity =>
  identity.passkey?.ceremony === 'register' ? { ...identity, user, passkey: { ceremony: 'authenticate' } } : identity

const isQuestion = (answer: Proof | Question | null): answer is Question => answer !== null && 'asks' in answer

/** Adds an account or a passkey to the user of the session. The session stays, and nothing of it counts as proved again. */
async function add(visit: Visit, entry: PermittedEntry): Promise<Outcome> {
  const { config, sessions } = visit
  const { identity, returnTarget } = entry
  const users = await config.users()
  if (await lacksFactor(visit)) {
    const [{ owner }, { userId }] = await Promise.all([users.find(identity, true), sessions.read(visit)])
    // An account of somebody else may be nobody's a moment later.
    if (owner === null || String(owner.id) !== String(userId)) throw signInAgain(identity.account)
  }
  const person = await users.add(entry, () => visit.readPrincipal())
  await happened.added(visit, { identity, ...person })
  const { user, account, added } = person
  const { profile, linkSessionDigest = null } = identity
  // A link on purpose is no sign-in: the `jwt` callback could take the profile for that of the user.
  const isSignIn = added !== undefined && linkSessionDigest === null
  const session = isSignIn ? await sessions.addAccount(visit, { user, account, ...(profile && { profile }) }) : []
  return goTo(visit, returnTarget, returnTarget, session)
}

/**
 * Whose an identity is. Somebody may have signed in while a sign-in at a provider was under way in another tab. If it is the
 * same person, both tabs go on; if not, nobody takes the place of the other without a word.
 */
async function find(visit: Visit, identity: Identity): Promise<Entry> {
  const { config } = visit
  // First: functions of the application may run while it is read, and what was found counts until one does.
  const reading = identity.initiator === NOBODY ? await lookAtSession(visit, 'read') : null
  const userId = reading?.userId ?? null
  const isOwnerAsked = config.callbacks.signIn !== null || config.refusesDisabledUsers
  const entry = await (await config.users()).find(identity, isOwnerAsked || userId !== null)
  if (userId === null) return entry
  const { account } = identity
  const isSame = config.store
    ? entry.owner !== null && String(entry.owner.id) === String(userId)
    : // Without stored users, an id is new at each sign-in.
      reading?.personDigest === personDigestOfAccount(account.provider, account.providerAccountId)
  if (!isSame) throw sessionChanged(account)
  return entry
}

/**
 * Refuses disabled users, and asks the `signIn` callback. Functions of the application have run then, so the entry has no owner any
 * more: `settle` looks again. `elsewhere` is where the application sends the visitor instead; null for nowhere.
 */
async function permit({ config }: Visit, entry: Entry) {
  const { identity, owner } = entry
  const { signIn } = config.callbacks
  const user = owner ?? identity.user
  if (config.refusesDisabledUsers) requireEnabled(user)
  if (signIn === null) return { entry, elsewhere: null, times: undefined }
  const { account, profile, credentials } = identity
  const verdict = await askSignIn(signIn, {
    user,
    account,
    ...(profile && { profile }),
    ...(credentials && { credentials }),
  })
  const asked = { entry: { ...entry, owner: null }, elsewhere: null, times: undefined }
  if (verdict === true) return asked
  return typeof verdict === 'string' ? { ...asked, elsewhere: verdict } : { ...asked, times: verdict }
}

/** What the sign-in decides about the lifetime of its session; undefined for nothing. */
function lifetimeOf(remember: boolean | undefined, times: ChosenTimes | undefined): LifetimeChoice | undefined {
  if (remember === undefined && times === undefined) return undefined
  return { ...(remember !== undefined && { remember }), ...times }
}

/** Leads the visitor on; the browser remembers where they wanted to go. */
const goTo = (
  { cookies, specs }: Visit,
  target: string,
  returnTarget: string,
  changes: Outcome['cookies'] = [],
): Outcome => redirect(target, [...returnTargetCookie(cookies, specs.callbackUrl, returnTarget), ...changes])
