import { askSignIn, type ChosenTimes } from '../accounts/ask-signin.js'
import type { Identity, ResolvedUser } from '../accounts/identity.js'
import { NOBODY } from '../accounts/initiator.js'
import { sessionChanged } from '../accounts/refusals.js'
import { loadOnce } from '../awaitable.js'
import { siteOf, withParams } from '../context/action-urls.js'
import { csrfTokenOf } from '../context/csrf-token.js'
import { json, type Outcome, page, redirect } from '../context/outcome.js'
import { redirectTarget, rememberReturnTarget } from '../context/return-target.js'
import type { Action, Visit } from '../context/visit.js'
import { type LifetimeChoice, subjectOfAccount } from '../crypto/session-claim.js'
import { RequestRefused } from '../errors.js'
import type { FlowQuestion, FlowResult } from '../flows/flow.js'
import { forgetOwnSignIn } from '../flows/own-sign-in.js'
import { isRemembered } from '../flows/remember-field.js'
import { clearTransactions } from '../flows/transaction-cookies.js'
import type { CookieChange } from '../http/cookies.js'
import { returnTargetCookie } from '../http/return-target.js'
import { publishSignIn } from '../logging/diagnostics.js'
import { confirmPage } from '../pages/mailed-link.js'
import { requireEnabled } from '../sessions/disabled-users.js'
import type { SessionStart } from '../sessions/session.js'
import { keepLastProvider } from './last-provider.js'
import { lookAtSession, signedInAs } from './look-at-session.js'

/** GET and POST callback: ends a sign-in with the response of a provider, or with the fields of a form. */
export const callback: Action = async (visit) => {
  const { provider } = visit
  if (!provider) throw new RequestRefused(404, 'A callback needs the id of a provider in its path.')
  // A form of Latchkey has the return target in it. Asks the `redirect` callback now, before `authorize()`, as Auth.js
  // does, and before a link is used up; `returnTarget()` remembers the result. The response of a provider has no return
  // target: the transaction has it.
  if (!provider.flow.keepsReturnTarget) await visit.returnTarget()
  const isMailed = provider.settings.type === 'email'
  // The page of a link that no longer works leads to where the link would have led.
  visit.keep.onFailure({
    isRemembered: isRemembered(visit.fields),
    wayBack: isMailed ? await rememberReturnTarget(visit) : [],
  })
  const result = await provider.flow.finish(visit)
  if (result.kind === 'confirm') return showConfirm(visit, provider.settings.id, result)
  if (result.kind !== 'identity') return redirect(result.url)
  visit.keep.onFailure({ isRemembered: result.isRemembered })
  const returnTarget = result.returnTarget ?? (await visit.returnTarget())
  const { linkSessionDigest = null } = result.identity
  if (linkSessionDigest !== null) return completeLink(visit, result.identity, returnTarget)
  visit.keep.onFailure({ returnTarget })
  return completeSignIn(visit, result, returnTarget)
}

/**
 * A page with one button. A program that opens mailed links, such as a mail scanner, does not press it, and so does not use
 * the link up. A script gets the address of the page, to which it can send the browser.
 */
async function showConfirm(visit: Visit, providerId: string, question: FlowQuestion): Promise<Outcome> {
  const { urls, incoming, query, origin } = visit
  const action = urls.action('callback', providerId)
  if (incoming.header('x-auth-return-redirect')) return json({ url: `${action}?${query}`, confirm: true })
  const form = csrfTokenOf(visit)
  const reading = await lookAtSession(visit)
  const view = confirmPage({
    action,
    fields: question.fields,
    identifier: question.identifier,
    signedInAs: signedInAs(reading),
    csrfToken: form.token,
    callbackUrl: await visit.returnTarget(),
    ...siteOf(origin),
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(visit))])
}

/**
 * Completes every sign-in: calls the `signIn` callback, finds or creates the user, issues the session, emits the event and
 * redirects the visitor. Every flow ends here, so that no flow can forget a step.
 *
 * @throws {AccessDenied} when the callback refuses or throws, or the user is disabled
 */
async function completeSignIn(
  visit: Visit,
  { identity, isRemembered: remember }: Extract<FlowResult, { kind: 'identity' }>,
  returnTarget: string,
): Promise<Outcome> {
  const { config, sessions, specs, cookies, origin } = visit
  const { account, profile, isIdMadeUp, providerSession = { provider: account.provider } } = identity
  const known = knownOf(visit, identity)
  await requireSamePerson(visit, identity, known)
  const verdict = await askPermission(visit, identity, known)
  if (typeof verdict === 'string') {
    const remembered = returnTargetCookie(cookies, specs.callbackUrl, returnTarget)
    return redirect(await redirectTarget(visit, verdict), remembered)
  }
  const resolved = await config.identities.resolve({ ...identity, source: visit.source }, () => visit.readPrincipal())
  if (config.refusesDisabledUsers) requireEnabled(resolved.user)
  if (!isProof(resolved)) return endAddition(visit, resolved, identity, returnTarget)
  const lifetime = lifetimeOf(config.asksToRemember ? remember : undefined, verdict)
  const start: SessionStart = { ...resolved, profile, lifetime, providerSession, ...(isIdMadeUp && { isIdMadeUp }) }
  const session = await sessions.issue(visit, start)
  // If the check fails, the session is stored already, but its token is not sent.
  await config.identities.recheck(resolved)
  await config.emit('signIn', eventMessage(start), visit.source)
  const { provider, type } = start.account
  publishSignIn({ provider, type, isNewUser: start.isNewUser ?? false })
  await tellOfAddition(visit, resolved)
  // The sign-in replaces the CSRF token, because an attacker may have planted it (fixation). A mailed link asks from now on
  // before it signs somebody in. Other tabs may end their sign-ins, if they are those of the same person.
  const csrf = config.csrf?.renew(cookies, specs.csrfToken) ?? []
  const welcome = start.isNewUser ? config.pages.newUser : undefined
  const target = welcome === undefined ? returnTarget : withParams(welcome, { callbackUrl: returnTarget }, origin)
  return redirect(target, [
    ...csrf,
    ...clearTransactions(visit, 'email'),
    ...keepLastProvider(visit, provider),
    ...ownSignIn(visit, identity, resolved),
    // A sign-out that is still under way is that of the session before, and perhaps of another person.
    ...clearTransactions(visit, 'logout'),
    ...returnTargetCookie(cookies, specs.callbackUrl, returnTarget),
    ...session,
  ])
}

/**
 * Somebody may have signed in while a sign-in at a provider was under way in another tab. If it is the same person, both tabs go on;
 * if not, nobody takes the place of the other without a word.
 *
 * @throws {SessionChanged} when another person has signed in since the sign-in began
 */
async function requireSamePerson(visit: Visit, { initiator, account }: Identity, known: Known): Promise<void> {
  const { config } = visit
  if (initiator !== NOBODY) return
  const reading = await lookAtSession(visit, 'read')
  if (reading === null || reading.userId === null) return
  const user = config.store && (await known())
  const isSame = config.store
    ? user?.id !== undefined && String(user.id) === String(reading.userId)
    : // Without stored users, an id is new at each sign-in.
      reading.personDigest === subjectOfAccount(account.provider, account.providerAccountId)
  if (!isSame) throw sessionChanged(account)
}

/**
 * Completes a link: adds the account to the user in whose session it began, or stores that it is theirs. The session stays
 * as it is: nobody is signed in, and no user is created.
 */
async function completeLink(visit: Visit, identity: Identity, returnTarget: string): Promise<Outcome> {
  const { config } = visit
  // Whoever may not sign in with an account may not add it either. The session has its lifetime already.
  const verdict = await askPermission(visit, identity, knownOf(visit, identity))
  if (typeof verdict === 'string') return redirect(await redirectTarget(visit, verdict))
  const resolved = await config.identities.resolve({ ...identity, source: visit.source }, () => visit.readPrincipal())
  return endAddition(visit, resolved, identity, returnTarget)
}

/** Tells of what was added to the user of the session. The session stays, and nothing of it counts as proved again. */
async function endAddition(
  visit: Visit,
  resolved: ResolvedUser,
  { profile, linkSessionDigest }: Identity,
  returnTarget: string,
): Promise<Outcome> {
  const { sessions, cookies, specs, config } = visit
  await tellOfAddition(visit, resolved)
  const { user, account, added, isNewUser } = resolved
  if (!linkSessionDigest) await config.emit('signIn', eventMessage({ user, account, profile, isNewUser }), visit.source)
  const session = added ? await sessions.addAccount(visit, { user, account, ...(profile && { profile }) }) : []
  return redirect(returnTarget, [...returnTargetCookie(cookies, specs.callbackUrl, returnTarget), ...session])
}

/**
 * Asks the `signIn` callback about an identity.
 *
 * @throws {AccessDenied} when it refuses or throws, or the user is disabled
 */
async function askPermission(
  { config }: Visit,
  identity: Identity,
  known: Known,
): Promise<true | string | ChosenTimes> {
  const { user, account, profile, credentials } = identity
  const { signIn } = config.callbacks
  // Nothing depends on who it is. The resolution looks the account up, under its lock.
  if (signIn === null && !config.refusesDisabledUsers) return true
  const owner = (await known()) ?? user
  if (config.refusesDisabledUsers) requireEnabled(owner)
  if (signIn === null) return true
  return askSignIn(signIn, {
    user: owner,
    account,
    ...(profile && { profile }),
    ...(credentials && { credentials }),
  })
}

/** Tells the owner of the account if there is a further way to sign in. It never rejects. */
async function tellOfAddition(
  { config, origin, header, source }: Visit,
  { added, user, account }: ResolvedUser,
): Promise<void> {
  if (added === undefined) return
  const kind = added === 'passkey' ? 'passkey-added' : 'account-linked'
  const acceptLanguage = header('accept-language')
  await config.notices?.send({ kind, userId: user.id, provider: account.provider, origin, acceptLanguage, source })
}

/** Whether a sign-in proves who the visitor is. If something was only added to the user of the session, it does not. */
const isProof = ({ authenticatedAt }: ResolvedUser): boolean => authenticatedAt === undefined

/** The cookie of a sign-in in this browser. */
function ownSignIn(visit: Visit, { isUnbound }: Identity, resolved: ResolvedUser): readonly CookieChange[] {
  return isUnbound ? forgetOwnSignIn(visit) : visit.config.ownSignIns.note(visit, resolved.user)
}

type Known = ReturnType<typeof knownOf>

/** The user who has the account already; null for none. It is looked up when it is first asked for, and once. */
const knownOf = ({ config }: Visit, identity: Identity) => loadOnce(() => config.identities.known(identity))

/** What the sign-in decides about the lifetime of its session; undefined for nothing. */
function lifetimeOf(remember: boolean | undefined, verdict: true | ChosenTimes): LifetimeChoice | undefined {
  if (remember === undefined && verdict === true) return undefined
  return { ...(remember !== undefined && { remember }), ...(verdict !== true && verdict) }
}

function eventMessage({
  user,
  account,
  profile,
  isNewUser,
}: Pick<SessionStart, 'user' | 'account' | 'profile' | 'isNewUser'>) {
  if (account.type === 'credentials') return { user, account }
  return { user, account, ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
}
