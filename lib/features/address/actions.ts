import type { AdapterUser } from '../../adapters/adapter.js'
import { isTimeout } from '../../adapters/failures.js'
import type { BodyFields } from '../../kernel/body.js'
import { RequestRefused } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import type { ListedSession } from '../../sessions/session-manager.js'
import { isBeforeProof } from '../../sessions/token-registry.js'
import { asking, leadsTo, partOfOne, sends } from '../../sign-in/account-part.js'
import { addressPerson, askForMail } from '../../sign-in/ask-signin.js'
import { redirectTarget, urlLeadingOn } from '../../sign-in/find-return-target.js'
import { mailFrom, showConfirming, showDone, showForm, showMailed, shownAgain } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { leadingToSignIn, onThisOrigin } from '../../sign-in/leading-to-sign-in.js'
import { changes, requiredText } from '../../sign-in/list-actions.js'
import { type Caller, ownerIn } from '../../sign-in/operation.js'
import { redirect } from '../../sign-in/outcome.js'
import { type Action, lookAtSession, type Visit } from '../../sign-in/visit.js'
import { isSameUser } from '../../users/stored-users.js'
import { serviceOf } from './operations.js'
import { type AddressRefusal, askForm, closedForm, confirmed, confirmForm, deadLink, refused, sentTo } from './pages.js'
import type { AddressLink, AddressService } from './service.js'

/** GET address: asks somebody who has signed in recently for their new address. */
export const showAsk: Action = leadingToSignIn('address', async (visit) => {
  const service = await serviceOf(visit)
  const { user } = await ownerIn(visit, DEED)
  const refusal = refusalFor(service, user, await service.others.of(user))
  return refusal
    ? showConfirming(visit, 'address', closedForm(service, refusal, user.email), refused(refusal))
    : showForm(visit, askForm(service))
})

/**
 * POST address: mails a link to the new address, and tells the present one. The answer is the same for every new address, and so
 * is the work: only the mail says whether somebody has it (PWD-10).
 */
export const postAsk: Action = onThisOrigin('address', async (visit) => {
  const service = await serviceOf(visit)
  const { store, others, links, sender, addressOf, sendLink, sendTaken } = service
  const { user, sessionId, authenticatedAt: provedAt } = await ownerIn(visit, DEED)
  const to = addressOf(visit.fields['email'], visit.source)
  if (to === null) return showForm(visit, askForm(service, shownAgain(visit.fields['email'])), refused('address'))
  const own = await others.of(user)
  if (to === user.email || own.includes(to)) return showForm(visit, askForm(service, to), refused('same'))
  const refusal = refusalFor(service, user, own)
  if (refusal !== null)
    return showConfirming(visit, 'address', closedForm(service, refusal, user.email), refused(refusal))
  const userId = String(user.id)
  const person = addressPerson(to, sender, { ...user, email: to })
  const elsewhere = await askForMail(visit.config.callbacks.signIn, person, { replaces: user.email || null })
  if (elsewhere !== null) return redirect(await redirectTarget(visit, elsewhere))
  const isTaken = Boolean(await store.getUserByEmail(to))
  const callbackUrl = await visit.returnTarget()
  const unsent = await mailFrom(visit, askForm(service, to), () =>
    links.mail(visit, userId, { userId, from: user.email ?? '', to, sessionId, provedAt }, (token) => {
      const query = new URLSearchParams({ token, callbackUrl })
      return isTaken ? sendTaken(visit, to) : sendLink(visit, to, `${visit.mountUrl}/address/confirm?${query}`)
    }),
  )
  if (unsent) return unsent
  // An address that is added takes away nothing.
  if (!isAddition(service, { from: user.email ?? '' }))
    await happened.changed(visit, { kind: 'address-change-asked', userId })
  return showMailed(visit, sentTo(to), sender)
})

/** GET address/confirm: the page that a mailed link opens. The link still works afterwards: mail scanners open every link. */
export const showConfirm: Action = async (visit) => {
  const token = textOf(visit.query.get('token'))
  const service = await serviceOf(visit)
  const link = token === '' ? null : await service.links.look(token)
  return link && (await userOf(visit, link))
    ? showForm(visit, confirmForm(token, link, isAddition(service, link)))
    : showUnusable(visit)
}

/** Whoever is not signed in is led to the form for another link by the sign-in. */
async function showUnusable(visit: Visit) {
  const service = await serviceOf(visit)
  const isSignedIn = Boolean((await lookAtSession(visit, 'read'))?.session)
  if (!isSignedIn) visit.leadTo(await urlLeadingOn(visit, 'address'))
  return showForm(visit, isSignedIn ? askForm(service) : deadLink(service), refused('link'))
}

/** POST address/confirm: stores the address, and tells the one that the user had before. It signs nobody in. */
export const postConfirm: Action = async (visit) => {
  const service = await serviceOf(visit)
  const token = textOf(visit.fields['token'])
  const asked = token === '' ? null : await service.links.look(token)
  const link = asked && (await service.links.takeAlone(asked.userId, token))
  const user = link && (await userOf(visit, link))
  if (link === null || user === null) return showUnusable(visit)
  const { userId, from, to } = link
  const isAdded = isAddition(service, link)
  const isDone = await tellingOf(
    () => (isAdded ? service.others.keep(user, to) : moveTo(visit, user, to)),
    async () => {
      const kind = isAdded ? 'address-added' : 'address-changed'
      if (from !== '') await happened.changed(visit, { kind, userId, email: from })
    },
    async () =>
      isAdded
        ? !(await service.others.of(user)).includes(to)
        : ((await service.store.getUser(userId))?.email ?? '') === from,
  )
  return isDone ? showDone(visit, confirmed(to)) : showUnusable(visit)
}

const NOT_KEPT = 'Each user has one address here.'

/** POST address/primary: an address that the visitor has confirmed takes the place of their own, which they keep beside it. */
export const postPrimary: Action = onThisOrigin(
  'account',
  changes(NOT_KEPT, async (_caller, fields, visit) => {
    const { user, store, others, email } = await otherAddressIn(visit, fields)
    const { email: from } = user
    if (from && !(await others.keep(user, from)))
      throw new RequestRefused(409, 'The address was changed meanwhile.', {}, 'changed')
    const userId = String(user.id)
    const tell = () =>
      happened.changed(visit, {
        kind: 'primary-address-changed',
        userId,
        ...(from && { email: from }),
      })
    const isAsBefore = async () => (await store.getUser(user.id))?.email === from
    // Nobody confirms it now, so sessions of before stay what they are.
    const confirmedAt = new Date(user.emailVerified ?? visit.config.now())
    if (!(await tellingOf(() => moveTo(visit, user, email, confirmedAt), tell, isAsBefore))) {
      // Another request was faster, and may have told another address.
      if (!(await isAsBefore())) await tell()
      throw new RequestRefused(409, 'The address was changed meanwhile.', {}, 'changed')
    }
    return { body: { email }, says: 'primaryAddress' }
  }),
)

/** POST address/remove: takes an address away that is not the visitor's own, and tells it. */
export const postRemove: Action = onThisOrigin(
  'account',
  changes(NOT_KEPT, async (_caller, fields, visit) => {
    const { user, others, email } = await otherAddressIn(visit, fields, ALL)
    const isTaken = await tellingOf(
      () => others.take(user, email),
      () => happened.changed(visit, { kind: 'address-removed', userId: String(user.id), email }),
      async () => (await others.of(user, ALL)).includes(email),
    )
    if (!isTaken) throw new RequestRefused(404, NOT_YOURS)
    return { body: { removed: true }, says: 'addressRemoved' }
  }),
)

/**
 * Makes a change, and tells of it; also where the answer of the store was lost.
 *
 * @param change gives whether it was made
 * @param isAsBefore whether nothing was changed
 */
async function tellingOf(
  change: () => Promise<boolean>,
  tell: () => Promise<unknown>,
  isAsBefore: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const isMade = await change()
    if (isMade) await tell()
    return isMade
  } catch (error) {
    // What the store has not done in time, it may do later.
    if (isTimeout(error) || !(await isAsBefore().catch(() => false))) await tell()
    throw error
  }
}

const ALL = { isAll: true } as const

const NOT_YOURS = 'The visitor has no such address, beside the one of their account.'

/** The visitor, and an address that they name. */
async function otherAddressIn(visit: Visit, fields: BodyFields, which = {}) {
  const { store, others, most } = await serviceOf(visit)
  if (most === 1) throw new RequestRefused(404, NOT_KEPT)
  const { user } = await ownerIn(visit, DEED)
  const email = requiredText(fields['email'], 'Say which address: `email`.')
  if (!(await others.of(user, which)).includes(email)) throw new RequestRefused(404, NOT_YOURS)
  return { user, store, others, email }
}

/** The addresses of the visitor, and where they change them. */
export async function addressPart(caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const { userId } = await caller.read()
  const { store, others, most, sender } = await serviceOf(visit)
  const user = userId === null ? null : await store.getUser(userId)
  if (!user) return null
  const title = pageText('field.email')
  const none = pageText('account.address.none')
  const own = user.email ? { name: user.email } : null
  const isOpen = isUnconfirmed(user)
  if (most === 1 && !isOpen)
    return partOfOne({ title, none }, own, [leadsTo(visit, 'address', pageText('account.change'))])
  const more = await others.of(user, ALL)
  const mark = isOpen ? 'account.address.unconfirmed' : more.length > 0 && 'account.address.primary'
  // A sign-in confirms it, and before that no other one can be asked for, or take its place.
  const confirm = (email: string) =>
    sends(visit, `signin/${encodeURIComponent(sender)}`, pageText('mail.address.button'), { email })
  const isFull = refusalFor({ most }, user, more) === 'full'
  return {
    title,
    ...(isFull && { lead: pageText('address.error.full') }),
    none,
    items: [
      ...(own
        ? [{ ...own, ...(mark && { mark: pageText(mark) }), facts: [], actions: isOpen ? [confirm(own.name)] : [] }]
        : []),
      ...more.map((email) => ({
        name: email,
        facts: [],
        actions: [
          ...(isOpen ? [] : [sends(visit, 'address/primary', pageText('account.address.makePrimary'), { email })]),
          asking(
            pageText('account.address.question', { address: email }),
            sends(visit, 'address/remove', pageText('account.remove'), { email }),
          ),
        ],
      })),
    ],
    actions: !isOpen && !isFull ? [leadsTo(visit, 'address', pageText('address.add.title'))] : [],
  }
}

const DEED = 'to change their address'

/** Whether a link adds an address to the one that its user has. */
const isAddition = ({ most }: AddressService, { from }: Pick<AddressLink, 'from'>): boolean => most > 1 && from !== ''

/**
 * Makes an address the main one of a user, who sees it at once where they are signed in. False if it is somebody else's by now.
 *
 * @param emailVerified when it was confirmed; now by default
 */
async function moveTo(visit: Visit, user: AdapterUser, email: string, emailVerified?: Date): Promise<boolean> {
  const moved = await (await visit.config.users()).changeAddress(user, { email, emailVerified }, visit.source)
  if (moved === null) return false
  const principal = await visit.readPrincipal()
  if (principal && isSameUser(principal, moved)) {
    visit.keep.always('session', await visit.sessions.showUser(visit, moved))
  }
  return true
}

/** Why a user gets no other address now. Null if they can. @param others those that they have beside their own */
function refusalFor(
  { most }: Pick<AddressService, 'most'>,
  user: AdapterUser,
  others: readonly string[],
): Extract<AddressRefusal, 'unconfirmed' | 'full'> | null {
  if (isUnconfirmed(user)) return 'unconfirmed'
  return most > 1 && others.length + 1 >= most ? 'full' : null
}

/**
 * Whether nobody has confirmed the present address. Its owner may do that at any moment, and get this user: they first sign in with
 * a link that is mailed to it (ACCT-05).
 */
const isUnconfirmed = ({ email, emailVerified }: Pick<AdapterUser, 'email' | 'emailVerified'>) =>
  Boolean(email) && !emailVerified

/** The user whose address a link changes; null if the link does not count any more (ACCT-04). */
async function userOf(visit: Visit, { userId, from, to, sessionId, provedAt }: AddressLink) {
  const service = await serviceOf(visit)
  const { store, others } = service
  const user = (await store.getUser(userId)) ?? null
  if (user === null || (user.email ?? '') !== from || refusalFor(service, user, await others.of(user))) return null
  if (await store.getUserByEmail(to)) return null
  // Whoever finds a stranger in their account ends the stranger's session, or all copies of their own by proving more in it, and with
  // that what was asked for there.
  const isOver = ({ id, createdAt }: ListedSession) =>
    id !== sessionId || isBeforeProof(provedAt, createdAt?.getTime() ?? null)
  const isGone = visit.config.endsSessions && (await visit.sessions.listOf(userId)).every(isOver)
  return isGone ? null : user
}
