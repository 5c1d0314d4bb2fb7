import type { AdapterUser } from '../../adapters/adapter.js'
import { RecentSignInRequired } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { siteOf } from '../../pages/action-urls.js'
import { donePage } from '../../pages/error.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { dated, leadsTo, partOfOne, sends } from '../../sign-in/account-part.js'
import { showDone, showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { type HeldSignIn, heldIn } from '../../sign-in/held-sign-in.js'
import { leadingToSignIn } from '../../sign-in/leading-to-sign-in.js'
import { changes } from '../../sign-in/list-actions.js'
import { type Caller, refuseSignedOut } from '../../sign-in/operation.js'
import { json, type Outcome, page, redirect } from '../../sign-in/outcome.js'
import { ownerIn } from '../../sign-in/owner.js'
import { enter } from '../../sign-in/sign-in.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { startAgain } from './ask.js'
import { secondFactorsIn } from './dependencies.js'
import { ADDS } from './may-enter.js'
import {
  addForm,
  CODE,
  CODES_RENEWED,
  FACTOR_ADDED,
  FACTOR_REMOVED,
  type FactorRefusal,
  REMOVE_FACTOR,
  refusedFactor,
  renewForm,
  VERSION,
} from './pages.js'
import type { SecondFactors } from './service.js'

/** Who adds a second factor: somebody who is signed in, or who must add one before they are. */
interface Adding {
  readonly user: AdapterUser
  readonly userId: string
  readonly held: HeldSignIn | null
  /** Of the one whose place it takes, which they have shown; 0 for none. */
  readonly version: number
}

/** GET second-factor/add: shows what an authenticator app must read. */
export const showAdd: Action = leadingToSignIn(ADDS, async (visit) => {
  const service = await secondFactorsIn(visit.config)
  const by = await adding(visit, service)
  return by ? offer(visit, service, by, {}) : startAgain(visit)
})

/** POST second-factor/add: stores the app once it has shown a code, ends all other sessions, and shows recovery codes. */
export const postAdd: Action = leadingToSignIn(ADDS, async (visit) => {
  // Whoever takes over a front end on another origin must not be able to.
  if (visit.mayBeFromFrontEnd) return redirect(visit.urls.action(ADDS))
  const service = await secondFactorsIn(visit.config)
  const by = await adding(visit, service)
  if (by === null) return startAgain(visit)
  const { userId, user, held, version } = by
  if (!service.mayAdd(user)) return refuseUnconfirmed(visit)
  const secret = await service.offered(userId, version, textOf(visit.fields['secret']))
  if (secret === null) return offer(visit, service, by, { refusal: 'expired' })
  const entered = textOf(visit.fields[CODE])
  if (!service.factors.fits(secret, entered)) return offer(visit, service, by, { refusal: 'wrong', secret })
  // First: a sign-in that has ended meanwhile adds nothing.
  const entry = (await held?.take()) ?? null
  if (held && entry === null) return startAgain(visit)
  const codes = await service.factors.add(userId, secret, entered, version > 0)
  if (codes === null) return offer(visit, service, by, { refusal: 'wrong', secret })
  await service.browsers.forgetAll(userId)
  const { sessions } = visit
  await (held ? sessions.revokeAllOf(userId) : sessions.revokeOthers(visit))
  await happened.changed(visit, { kind: 'second-factor-added', userId, provider: null })
  const authentication = { factors: 2, amr: ['otp', 'mfa'] } as const
  if (entry === null) {
    // Also if the session has ended meanwhile: nobody can show the codes again.
    const cookies = await sessions.raise(visit, authentication)
    return showCodes(visit, codes, FACTOR_ADDED, cookies ?? [])
  }
  try {
    const entered = await enter(visit, { ...entry, proof: { userId, authentication } })
    if (entered.kind === 'redirect') visit.leadTo(entered.to)
    return showCodes(visit, codes, FACTOR_ADDED, entered.cookies)
  } catch (error) {
    // Whoever must not come in must not keep the owner out.
    await service.factors.remove(userId)
    throw error
  }
})

/**
 * @returns null for a sign-in that has ended
 * @throws {RequestRefused} 401 if nobody is signed in; {RecentSignInRequired} if they must sign in again
 */
async function adding(visit: Visit, { store, factors }: SecondFactors): Promise<Adding | null> {
  const held = await heldIn(visit)
  if (held?.asks === ADDS) {
    visit.leadTo(held.returnTarget)
    const user = await store.getUser(held.userId)
    // Who has added one meanwhile, in another browser, is asked for it from now on.
    if (!user || (await factors.find(held.userId))) return null
    return { user, userId: held.userId, held, version: 0 }
  }
  const { user } = await ownerIn(visit, 'to add a second factor')
  const userId = String(user.id)
  const { version = 0 } = (await factors.find(userId)) ?? {}
  if (version > 0) await requireBoth(visit)
  return { user, userId, held: null, version }
}

/** @param how why it is offered again, and the secret that the app may have read already */
async function offer(
  visit: Visit,
  service: SecondFactors,
  { user, userId, version }: Adding,
  { refusal, secret }: { readonly refusal?: FactorRefusal; readonly secret?: string },
): Promise<Outcome> {
  const { totp, issuer, mayAdd } = service
  if (!mayAdd(user)) return refuseUnconfirmed(visit)
  const offered = service.offer(userId, version, secret)
  const label = user.email || user.name || userId
  const url = totp.urlOf(offered.secret, { issuer: issuer ?? new URL(visit.origin).host, label })
  const sealed = await offered.seal()
  if (!visit.wantsPage && refusal === undefined) return json({ url, secret: sealed })
  const form = addForm(totp, { url, sealed, secret: offered.secret })
  return showForm(visit, form, refusal ? refusedFactor(refusal) : null)
}

/** There is nothing to scan yet. */
async function refuseUnconfirmed(visit: Visit): Promise<Outcome> {
  const { error, reason, status, message } = refusedFactor('unconfirmed')
  if (!visit.wantsPage) return json({ error, reason }, [], status)
  const { host } = siteOf(visit.origin)
  const said = { title: pageText('secondFactor.add.title'), text: message, host }
  return page({ ...donePage({ ...said, continueUrl: await visit.returnTarget() }), icon: 'denied', status })
}

/** GET second-factor/codes: asks whether to make other recovery codes. */
export const showRenew: Action = leadingToSignIn('second-factor/codes', async (visit) => {
  const owner = await ownerOfFactor(visit, 'to get recovery codes')
  return owner ? showForm(visit, renewForm(owner.version)) : toAdd(visit)
})

/** POST second-factor/codes: makes other recovery codes; the former ones end. */
export const postRenew: Action = leadingToSignIn('second-factor/codes', async (visit) => {
  if (visit.mayBeFromFrontEnd) return redirect(visit.urls.action('second-factor/codes'))
  const owner = await ownerOfFactor(visit, 'to get recovery codes')
  if (owner === null) return toAdd(visit)
  // A page that is sent twice would end the codes that somebody has just written down.
  if (visit.wantsPage && textOf(visit.fields[VERSION]) !== String(owner.version))
    return redirect(await visit.returnTarget())
  const codes = await owner.service.factors.renewCodes(owner.userId)
  return codes === null ? toAdd(visit) : showCodes(visit, codes, CODES_RENEWED, [])
})

/** GET second-factor/remove: asks whether to. */
export const showFactorRemoval: Action = leadingToSignIn('second-factor/remove', async (visit) => {
  const owner = await ownerOfFactor(visit, 'to remove a second factor')
  return owner ? showForm(visit, REMOVE_FACTOR) : toAdd(visit)
})

/** POST second-factor/remove: ends all other sessions, and tells the owner (MFA-07). */
export const postFactorRemoval: Action = leadingToSignIn('second-factor/remove', async (visit) => {
  if (visit.mayBeFromFrontEnd) return redirect(visit.urls.action('second-factor/remove'))
  const owner = await ownerOfFactor(visit, 'to remove a second factor')
  if (owner === null) return toAdd(visit)
  const { userId, user, service } = owner
  if (await service.isRequired(user)) return showForm(visit, REMOVE_FACTOR, refusedFactor('required'))
  await service.factors.remove(userId)
  await service.browsers.forgetAll(userId)
  await visit.sessions.revokeOthers(visit)
  await happened.changed(visit, { kind: 'second-factor-removed', userId, provider: null })
  return showDone(visit, FACTOR_REMOVED)
})

/** POST second-factor/forget: every browser is asked again. */
export const postForget: Action = leadingToSignIn(
  'account',
  changes('The configuration has no second factor.', async (caller) => {
    const { userId } = await caller.read()
    if (userId === null) refuseSignedOut()
    await (await secondFactorsIn(caller.config)).browsers.forgetAll(String(userId))
    return { body: { forgotten: true }, says: 'browsers' }
  }),
)

/**
 * Who changes a second factor must have shown it, and recently: whoever has only the first one must not. Null for who has none.
 */
async function ownerOfFactor(visit: Visit, deed: string) {
  const { user } = await ownerIn(visit, deed)
  const userId = String(user.id)
  const service = await secondFactorsIn(visit.config)
  const factor = await service.factors.find(userId)
  if (factor === null) return null
  await requireBoth(visit)
  return { user, userId, service, version: factor.version }
}

const toAdd = (visit: Visit) => redirect(visit.urls.action(ADDS))

async function requireBoth(visit: Visit): Promise<void> {
  const { authentication } = await visit.sessions.read(visit)
  if (authentication?.factors !== 2)
    throw new RecentSignInRequired('A user wanted to change a second factor without having shown it.')
}

/** Shows codes that nobody sees a second time. A script gets them as JSON. */
async function showCodes(
  visit: Visit,
  codes: readonly string[],
  said: typeof FACTOR_ADDED,
  cookies: Outcome['cookies'],
): Promise<Outcome> {
  if (!visit.wantsPage) return json({ codes }, cookies)
  const { host } = siteOf(visit.origin)
  return page({ ...donePage({ ...said, host, continueUrl: await visit.returnTarget() }), codes }, cookies)
}

/** The second factor of the visitor, and what can be done about it. */
export async function secondFactorPart(caller: Caller): Promise<AccountPart | null> {
  const { userId } = await caller.read()
  if (userId === null) return null
  const visit = caller.visit()
  const { factors, browsers, store, isRequired: mustHave } = await secondFactorsIn(visit.config)
  const factor = await factors.find(String(userId))
  const title = pageText('secondFactor.title')
  if (factor === null) {
    return partOfOne({ title, none: pageText('secondFactor.none') }, null, [
      leadsTo(visit, ADDS, pageText('secondFactor.add.title')),
    ])
  }
  const trusted = await browsers.count(String(userId))
  const user = await store.getUser(String(userId))
  const isRequired = user !== null && (await mustHave(user))
  const facts = [
    ...dated('account.since', new Date(factor.since)),
    pageText('secondFactor.codesLeft', { count: String(factor.codesLeft) }),
    ...(trusted > 0 ? [pageText('secondFactor.trusted', { count: String(trusted) })] : []),
    ...dated('secondFactor.resetAt', factor.resetAt === undefined ? null : new Date(factor.resetAt)),
  ]
  const actions = [
    leadsTo(visit, ADDS, pageText('account.change')),
    leadsTo(visit, 'second-factor/codes', pageText('secondFactor.codes.title')),
    ...(trusted > 0 ? [sends(visit, 'second-factor/forget', pageText('secondFactor.forget'))] : []),
    ...(isRequired ? [] : [leadsTo(visit, 'second-factor/remove', pageText('account.remove'))]),
  ]
  return { title, items: [{ name: pageText('secondFactor.app'), facts, actions }], actions: [] }
}
