import type { AdapterUser } from '../../adapters/adapter.js'
import { textOf } from '../../kernel/json-object.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { leadsTo, partOfOne } from '../../sign-in/account-part.js'
import { addressPerson, askForMail } from '../../sign-in/ask-signin.js'
import { redirectTarget } from '../../sign-in/find-return-target.js'
import { mailFrom, showDone, showForm, showMailed, shownAgain } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { leadingToSignIn, onOwnPage } from '../../sign-in/leading-to-sign-in.js'
import type { Caller } from '../../sign-in/operation.js'
import { redirect } from '../../sign-in/outcome.js'
import { ownerIn } from '../../sign-in/owner.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { isSameUser } from '../../users/stored-users.js'
import { serviceOf } from './dependencies.js'
import { askForm, changed, confirmForm, refused, sentTo } from './pages.js'
import type { AddressLink } from './service.js'

/** GET address: asks somebody who has signed in recently for their new address. */
export const showAsk: Action = leadingToSignIn('address', async (visit) => {
  const { user } = await ownerIn(visit, 'to change their address')
  return showForm(visit, askForm(), isUnconfirmed(user) ? refused('unconfirmed') : null)
})

/**
 * POST address: mails a link to the new address, and tells the present one. The answer is the same for every new address, and so
 * is the work: only the mail says whether somebody has it (PWD-10).
 */
export const postAsk: Action = onOwnPage('address', async (visit) => {
  const { user, sessionId } = await ownerIn(visit, 'to change their address')
  const { store, links, sender, addressOf, sendLink, sendTaken } = await serviceOf(visit)
  const to = addressOf(visit.fields['email'])
  if (to === null) return showForm(visit, askForm(shownAgain(visit.fields['email'])), refused('address'))
  if (to === user.email) return showForm(visit, askForm(to), refused('same'))
  if (isUnconfirmed(user)) return showForm(visit, askForm(), refused('unconfirmed'))
  const userId = String(user.id)
  const person = addressPerson(to, sender, { ...user, email: to })
  const elsewhere = await askForMail(visit.config.callbacks.signIn, person, { replaces: user.email || null })
  if (elsewhere !== null) return redirect(await redirectTarget(visit, elsewhere))
  const isTaken = Boolean(await store.getUserByEmail(to))
  const callbackUrl = await visit.returnTarget()
  const unsent = await mailFrom(visit, askForm(to), () =>
    links.mail(visit, userId, { userId, from: user.email ?? '', to, sessionId }, (token) => {
      const query = new URLSearchParams({ token, callbackUrl })
      return isTaken ? sendTaken(visit, to) : sendLink(visit, to, `${visit.mountUrl}/address/confirm?${query}`)
    }),
  )
  if (unsent) return unsent
  await happened.changed(visit, { kind: 'address-change-asked', userId, provider: null })
  return showMailed(visit, sentTo(to), sender)
})

/** GET address/confirm: the page that a mailed link opens. The link still works afterwards: mail scanners open every link. */
export const showConfirm: Action = async (visit) => {
  const token = textOf(visit.query.get('token'))
  const { links } = await serviceOf(visit)
  const link = token === '' ? null : await links.look(token)
  return link && (await userOf(visit, link))
    ? showForm(visit, confirmForm(token, link))
    : showForm(visit, askForm(), refused('link'))
}

/** POST address/confirm: stores the address, and tells the one before. It signs nobody in. */
export const postConfirm: Action = async (visit) => {
  const { config, source } = visit
  const token = textOf(visit.fields['token'])
  const { links } = await serviceOf(visit)
  const asked = token === '' ? null : await links.look(token)
  const link = asked && (await links.takeAlone(asked.userId, token))
  const user = link && (await userOf(visit, link))
  if (link === null || user === null) return showForm(visit, askForm(), refused('link'))
  const moved = await (await config.users()).changeAddress(user, link.to, source)
  if (moved === null) return showForm(visit, askForm(), refused('link'))
  const { userId, from } = link
  if (from !== '') {
    await happened.changed(visit, { kind: 'address-changed', userId, provider: null, email: from })
  }
  const principal = await visit.readPrincipal()
  if (principal && isSameUser(principal, moved)) {
    visit.keep.always('session', await visit.sessions.showUser(visit, moved))
  }
  return showDone(visit, changed(link.to))
}

/** The address of the visitor, and where they change it. */
export async function addressPart(caller: Caller): Promise<AccountPart | null> {
  const { userId } = await caller.read()
  const { store } = await serviceOf(caller.visit())
  const user = userId === null ? null : await store.getUser(userId)
  if (!user) return null
  const mark = isUnconfirmed(user) && { mark: pageText('account.address.unconfirmed') }
  return partOfOne(
    { title: pageText('field.email'), none: pageText('account.address.none') },
    user.email ? { name: user.email, ...mark } : null,
    [leadsTo(caller.visit(), 'address', pageText('account.change'))],
  )
}

/**
 * Whether nobody has confirmed the present address. Its owner may do that at any moment, and get this user: they first sign in with
 * a link that is mailed to it (ACCT-05).
 */
const isUnconfirmed = ({ email, emailVerified }: Pick<AdapterUser, 'email' | 'emailVerified'>) =>
  Boolean(email) && !emailVerified

/** The user whose address a link changes; null if the link does not count any more (ACCT-04). */
async function userOf(visit: Visit, { userId, from, to, sessionId }: AddressLink) {
  const { store } = await serviceOf(visit)
  const user = (await store.getUser(userId)) ?? null
  if (user === null || (user.email ?? '') !== from || isUnconfirmed(user)) return null
  if (await store.getUserByEmail(to)) return null
  // Whoever finds a stranger in their account ends the stranger's session, and with it what was asked for there.
  const isGone = visit.config.endsSessions && (await visit.sessions.listOf(userId)).every(({ id }) => id !== sessionId)
  return isGone ? null : user
}
