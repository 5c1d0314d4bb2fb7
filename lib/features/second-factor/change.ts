import { textOf } from '../../kernel/json-object.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountItem, AccountPart } from '../../pages/view.js'
import { describeUserAgent } from '../../sessions/session-list.js'
import { dated, leadsTo, leadsToRemoval, partOfOne, sends, shownBrowser } from '../../sign-in/account-part.js'
import { urlLeadingOn } from '../../sign-in/find-return-target.js'
import { showDone, showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { leadingToSignIn, onThisOrigin } from '../../sign-in/leading-to-sign-in.js'
import { changes, lists } from '../../sign-in/list-actions.js'
import { type Caller, ownerIn, refuseSignedOut } from '../../sign-in/operation.js'
import { redirect } from '../../sign-in/outcome.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { requireBoth, showCodes } from './add.js'
import { ADDS, pageToKeep, secondFactorsIn } from './dependencies.js'
import { mustShowBoth } from './may-enter.js'
import { CODES_RENEWED, FACTOR_REMOVED, REMOVE_FACTOR, refusedFactor, renewForm, VERSION } from './pages.js'
import type { ListedBrowser } from './trusted-browsers.js'

/** GET second-factor/codes: asks whether to make other recovery codes. */
export const showRenew: Action = leadingToSignIn('second-factor/codes', async (visit) => {
  const owner = await ownerOfFactor(visit, 'to get recovery codes')
  return owner ? showForm(visit, renewForm(owner.version)) : toAdd(visit)
})

/** POST second-factor/codes: makes other recovery codes; the former ones end. */
export const postRenew: Action = onThisOrigin('second-factor/codes', async (visit) => {
  const owner = await ownerOfFactor(visit, 'to get recovery codes')
  if (owner === null) return toAdd(visit)
  // A page that is sent twice would end the codes that somebody has just written down. Whoever has not seen them can ask for others.
  if (visit.wantsPage && textOf(visit.fields[VERSION]) !== String(owner.version))
    return showForm(visit, renewForm(owner.version), refusedFactor('changed'))
  const codes = await owner.service.factors.renewCodes(owner.userId, owner.version)
  if (codes === null) return redirect(await urlLeadingOn(visit, 'second-factor/codes'))
  await happened.changed(visit, { kind: 'recovery-codes-renewed', userId: owner.userId })
  return showCodes(visit, codes, CODES_RENEWED, [])
})

/** GET second-factor/remove: asks whether to. */
export const showFactorRemoval: Action = leadingToSignIn('second-factor/remove', async (visit) => {
  const owner = await ownerOfFactor(visit, 'to remove a second factor')
  if (owner === null) return toAdd(visit)
  return (await owner.service.isRequired(owner.user)) ? refuseRemoval(visit) : showForm(visit, REMOVE_FACTOR)
})

/** POST second-factor/remove: ends all other sessions, and tells the owner (MFA-07). */
export const postFactorRemoval: Action = onThisOrigin('second-factor/remove', async (visit) => {
  const owner = await ownerOfFactor(visit, 'to remove a second factor')
  if (owner === null) return toAdd(visit)
  const { userId, user, service } = owner
  if (await service.isRequired(user)) return refuseRemoval(visit)
  // First: if the store fails, the form can be sent again.
  await visit.sessions.revokeOthers(visit)
  if (await service.factors.remove(userId)) await happened.changed(visit, { kind: 'second-factor-removed', userId })
  return showDone(visit, FACTOR_REMOVED)
})

const NO_FACTORS = 'The configuration has no second factor.'

/** The second factor of the visitor, null for none, and the browsers that they trust. Null if nobody is signed in. */
async function ownIn(caller: Caller) {
  const { userId } = await caller.read()
  if (userId === null) return null
  const { factors, browsers } = await secondFactorsIn(caller.config)
  const factor = await factors.find(String(userId))
  const trusted = factor ? await browsers.list(caller.visit(), String(userId), factor.since) : []
  return { userId: String(userId), factor, trusted }
}

/** GET second-factor/browsers: those that the visitor trusts. */
export const getBrowsers: Action = lists(NO_FACTORS, async (caller) => {
  const { trusted } = (await ownIn(caller)) ?? refuseSignedOut()
  return { browsers: await Promise.all(trusted.map((browser) => publicBrowser(caller, browser))) }
})

const publicBrowser = async (
  { config }: Caller,
  { id, isCurrent, since, until, userAgent }: ListedBrowser,
): Promise<object> => ({
  id,
  isCurrent,
  since: new Date(since),
  until: new Date(until),
  ...(await describeUserAgent(userAgent, config.logger)),
})

/** POST second-factor/forget: the browser `id` is asked again, or every one. That only protects, so any session may do it. */
export const postForget: Action = leadingToSignIn(
  'account',
  changes(NO_FACTORS, async (caller, { id }, visit) => {
    const { userId: known } = await caller.read()
    if (known === null) refuseSignedOut()
    const userId = String(known)
    const { browsers } = await secondFactorsIn(caller.config)
    const count =
      id === undefined ? await browsers.forgetAll(userId) : Number(await browsers.forgetOne(userId, textOf(id)))
    if (count > 0) await happened.changed(visit, { kind: 'browser-trust-ended', userId, count })
    const cookies = await browsers.cookiesLeft(visit)
    if (id === undefined) return { body: { forgotten: true }, cookies, says: 'browsers' }
    // The same answer for the browser of another user and for an id that nobody has.
    return { body: { forgotten: count > 0 }, status: count > 0 ? 200 : 404, cookies, says: 'browser' }
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

/** Without the button, which would do nothing. */
const refuseRemoval = (visit: Visit) =>
  showForm(visit, { ...REMOVE_FACTOR, lead: null, submit: null }, refusedFactor('required'))

const toAdd = async (visit: Visit) => redirect(await urlLeadingOn(visit, ADDS))

/** Who has fewer recovery codes is told to get new ones. */
const FEW = 2

/** The second factor of the visitor, and what can be done about it. */
export async function secondFactorPart(caller: Caller): Promise<AccountPart | null> {
  const own = await ownIn(caller)
  if (own === null) return null
  const { userId, factor, trusted } = own
  const visit = caller.visit()
  const title = pageText('secondFactor.title')
  const service = await secondFactorsIn(visit.config)
  const { store, factors, gracePeriod } = service
  const mustHave = async () => {
    const user = await store.getUser(userId)
    return user !== null && (await service.isRequired(user))
  }
  if (factor === null) {
    const none = pageText('secondFactor.none')
    const until = gracePeriod > 0 ? await factors.graceBegun(userId) : undefined
    // A passkey does as well, by itself or after another way in.
    const isMissing = until !== undefined && !(await mustShowBoth(visit.config, userId, true)) && (await mustHave())
    const notices = isMissing ? dated('secondFactor.neededFrom', new Date(until), true) : []
    return partOfOne({ title, none }, notices.length > 0 ? { name: none, notices } : null, [
      leadsTo(visit, ADDS, pageText('secondFactor.add.title')),
    ])
  }
  const isRequired = await mustHave()
  const codesLeft = pageText('secondFactor.codesLeft', { count: String(factor.codesLeft) })
  const isFew = factor.codesLeft < FEW
  const facts = [...dated('account.since', new Date(factor.since)), ...(isFew ? [] : [codesLeft])]
  const notices = dated('secondFactor.resetAt', factor.resetAt === undefined ? null : new Date(factor.resetAt), true)
  const actions = [
    ...(factor.resetAt === undefined
      ? []
      : [leadsTo(visit, pageToKeep(service, userId), pageText('secondFactor.keep'))]),
    leadsTo(visit, ADDS, pageText('secondFactor.replace.title')),
    leadsTo(visit, 'second-factor/codes', pageText('secondFactor.codes.title')),
    ...(isRequired ? [] : [leadsToRemoval(visit, 'second-factor/remove', pageText('account.remove'))]),
  ]
  const app = { name: pageText('secondFactor.app'), ...(isFew && { mark: codesLeft }), facts, notices, actions }
  return {
    title,
    items: [app, ...(await Promise.all(trusted.map((browser) => itemOf(visit, browser))))],
    actions: trusted.length > 1 ? [sends(visit, 'second-factor/forget', pageText('secondFactor.forgetAll'))] : [],
  }
}

async function itemOf(visit: Visit, { id, isCurrent, since, until, userAgent }: ListedBrowser): Promise<AccountItem> {
  return {
    name: shownBrowser(await describeUserAgent(userAgent, visit.config.logger)) || pageText('account.sessions.unknown'),
    ...(isCurrent && { mark: pageText('account.sessions.this') }),
    facts: [...dated('secondFactor.trusted', new Date(since)), ...dated('account.until', new Date(until))],
    actions: [sends(visit, 'second-factor/forget', pageText('secondFactor.forget'), { id })],
  }
}
