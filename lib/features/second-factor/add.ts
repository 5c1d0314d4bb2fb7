import type { AdapterUser } from '../../adapters/adapter.js'
import { type CookieSpec, clearCookie, setCookie } from '../../kernel/cookies.js'
import { RecentSignInRequired, RequestRefused } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { DEMANDED } from '../../pages/action-urls.js'
import type { Said } from '../../pages/error.js'
import { pageText } from '../../pages/texts/text.js'
import { targetBeyond, urlLeadingOn } from '../../sign-in/find-return-target.js'
import { confirmingForm, showConfirming, showDone, showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { type HeldSignIn, heldIn } from '../../sign-in/held-sign-in.js'
import { lacksFactor, leadingToSignIn, onThisOrigin } from '../../sign-in/leading-to-sign-in.js'
import { recentOwnerIn } from '../../sign-in/operation.js'
import { json, type Outcome, page } from '../../sign-in/outcome.js'
import { enter } from '../../sign-in/sign-in.js'
import { replaceCookie } from '../../sign-in/sign-out-here.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { startAgain, withCode } from './ask.js'
import { ADDS, pageWith, secondFactorsIn } from './dependencies.js'
import { endReset, isAsHeld, mustShowBoth } from './may-enter.js'
import {
  addForm,
  CODE,
  FACTOR_ADDED,
  FACTOR_REPLACED,
  type FactorRefusal,
  factorThere,
  PASSWORD_WAITS,
  refusedFactor,
} from './pages.js'
import { OFFERED_SECONDS, type SecondFactors } from './service.js'

/** Who adds a second factor: somebody who is signed in, or who must add one before they are. */
interface Adding {
  readonly user: AdapterUser
  readonly userId: string
  readonly held: HeldSignIn | null
  /** Of the one whose place it takes, which they have shown; 0 for none. */
  readonly version: number
}

/** GET second-factor/add: shows what an authenticator app must read. */
export const showAdd: Action = (visit) => leadingToSignIn(pageWith(visit, ADDS, DEMANDED), show)(visit)

const show: Action = async (visit) => {
  // Whoever has taken a front end over would read what the visitor scans a moment later.
  if (visit.fromFrontEnd && !visit.wantsPage) throw new RequestRefused(403, 'A page of another origin reads no secret.')
  const service = await secondFactorsIn(visit.config)
  const found = await adding(visit, service)
  return isAnswer(found) ? found : offer(visit, service, found)
}

/** POST second-factor/add: stores the app once it has shown a code, ends all other sessions, and shows recovery codes. */
export const postAdd: Action = (visit) => onThisOrigin(pageWith(visit, ADDS, DEMANDED), post)(visit)

const post: Action = async (visit) => {
  const service = await secondFactorsIn(visit.config)
  const found = await adding(visit, service)
  if (isAnswer(found)) return found
  const { userId, held, version } = found
  const offered = await service.offered(userId, textOf(visit.fields['secret']))
  // The page was sent twice, perhaps at once: then the browser has not shown the codes in the first answer.
  if (visit.wantsPage && offered && (await service.factors.isTheirs(userId, offered.secret))) {
    const target = await visit.returnTarget()
    visit.leadTo((await targetBeyond(visit, target, ADDS)) ?? target)
    const codesUrl = await urlLeadingOn(visit, 'second-factor/codes')
    return page(factorThere({ codesUrl, continueUrl: await visit.returnTarget() }))
  }
  if (offered?.version !== version) return offer(visit, service, found, 'expired')
  const { secret } = offered
  const step = service.factors.stepOf(secret, textOf(visit.fields[CODE]))
  if (step === null) return offer(visit, service, found, 'wrong')
  // First: a sign-in that has ended meanwhile adds nothing.
  const entry = (await held?.take()) ?? null
  if (held && entry === null) return startAgain(visit)
  const { sessions } = visit
  const endOthers = () => (held ? sessions.revokeAllOf(userId) : sessions.revokeOthers(visit))
  // Before and after the change: if the store fails now, nothing is stored yet, and a session that begins meanwhile ends as well.
  await endOthers()
  await endReset(visit, service.factors, userId)
  const { codes, since } = await service.factors.add(userId, { secret, step }, version)
  const kind = version > 0 ? 'second-factor-replaced' : 'second-factor-added'
  await happened.changed(visit, { kind, userId })
  await endOthers()
  const forgotten = clearCookie(specOf(visit))
  if (entry === null) {
    // Also if the session has ended meanwhile: nobody can show the codes again.
    await replaceCookie(visit, withCode(null))
    return showCodes(visit, codes, version > 0 ? FACTOR_REPLACED : FACTOR_ADDED, [forgotten])
  }
  try {
    const entered = await enter(visit, { ...entry, proof: { userId, authentication: withCode(held), since } })
    // Whoever had opened this page anew to sign in does not add a second one.
    if (entered.kind === 'redirect') visit.leadTo((await targetBeyond(visit, entered.to, ADDS)) ?? entered.to)
    return showCodes(visit, codes, FACTOR_ADDED, [...entered.cookies, forgotten])
  } catch (error) {
    // Whoever must not come in must not keep the owner out.
    if (await service.factors.remove(userId)) await happened.changed(visit, { kind: 'second-factor-removed', userId })
    throw error
  }
}

/**
 * @returns another answer for a sign-in that has ended, for whose address nobody has confirmed, and the page that asks for whoever has
 *   not shown both factors: the sign-in page would let them in again without
 * @throws {RequestRefused} 401 if nobody is signed in; {RecentSignInRequired} if they must sign in again
 */
async function adding(visit: Visit, { store, factors, mayAdd }: SecondFactors): Promise<Adding | Outcome> {
  const held = await heldIn(visit)
  if (held?.asks === ADDS) {
    const { userId, returnTarget, type } = held
    visit.leadTo(returnTarget)
    const user = await store.getUser(userId)
    // Who has added one meanwhile, in another browser, is asked for it from now on.
    const mayGoOn =
      user &&
      (await isAsHeld(visit, held)) &&
      !(await factors.find(userId)) &&
      !(await mustShowBoth(visit.config, userId, type === 'webauthn'))
    if (!mayGoOn) return startAgain(visit)
    return mayAdd(user) ? { user, userId, held, version: 0 } : refuseUnconfirmed(visit, user, held)
  }
  const { user } = await recentOwnerIn(visit, 'to add a second factor')
  // Before more is asked for, which would be shown for nothing.
  if (!mayAdd(user)) return refuseUnconfirmed(visit, user, null)
  const userId = String(user.id)
  const { version = 0 } = (await factors.find(userId)) ?? {}
  if (version > 0 || (await lacksFactor(visit))) await requireBoth(visit)
  return { user, userId, held: null, version }
}

const isAnswer = (found: Adding | Outcome): found is Outcome => 'kind' in found

/** @param refusal why it is offered again */
async function offer(
  visit: Visit,
  service: SecondFactors,
  { user, userId, held, version }: Adding,
  refusal?: FactorRefusal,
): Promise<Outcome> {
  const { totp, issuer } = service
  const spec = specOf(visit)
  // An app may have read it already: a page that is loaded again shows the same.
  const known = [textOf(visit.fields['secret']), visit.cookies.get(spec.name) ?? '']
  const { secret, sealed } = await service.offer(userId, version, known)
  const label = user.email || user.name || userId
  const url = totp.urlOf(secret, { issuer: issuer ?? new URL(visit.origin).host, label })
  const cookies = [setCookie(spec, sealed, { maxAge: OFFERED_SECONDS })]
  if (!visit.wantsPage && refusal === undefined) return json({ url, secret: sealed }, cookies)
  const leads = held ? undefined : visit.query.has(DEMANDED) ? 'home' : 'back'
  const form = addForm(totp, { url, sealed, secret, replaces: version > 0 }, leads)
  const saves = held?.identity.newPassword && PASSWORD_WAITS
  const shown = await showForm(visit, { ...form, ...saves }, refusal ? refusedFactor(refusal) : null)
  return { ...shown, cookies: [...shown.cookies, ...cookies] }
}

/** The cookie of a page that offers a secret. */
const specOf = ({ specs }: Visit) => specs['offeredFactor'] as CookieSpec

/** There is nothing to scan yet. */
async function refuseUnconfirmed(visit: Visit, { email }: AdapterUser, held: HeldSignIn | null): Promise<Outcome> {
  const sender = [...visit.config.providers.values()].find(({ type }) => type === 'email')
  const form = confirmingForm(pageText('secondFactor.add.title'), sender?.id ?? '', email ?? '')
  // Back is no way for whoever is not in yet.
  const shown = held ? { ...form, leads: 'home' as const } : form
  return showConfirming(visit, pageWith(visit, ADDS, DEMANDED), shown, refusedFactor('unconfirmed'))
}

/** @throws {RecentSignInRequired} if the session was begun with one factor */
export async function requireBoth(visit: Visit): Promise<void> {
  const { authentication } = await visit.sessions.read(visit)
  if (authentication?.factors !== 2)
    throw new RecentSignInRequired('A user wanted to change a second factor without having shown it.')
}

/** Shows codes that nobody sees a second time. A script gets them as JSON. */
export const showCodes = async (
  visit: Visit,
  codes: readonly string[],
  said: Said,
  cookies: Outcome['cookies'],
): Promise<Outcome> => (visit.wantsPage ? showDone(visit, { ...said, codes }, cookies) : json({ codes }, cookies))
