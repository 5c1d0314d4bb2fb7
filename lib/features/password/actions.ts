import { textOf } from '../../kernel/json-object.js'
import { INVITED } from '../../pages/action-urls.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { leadsTo, leadsToRemoval, partOfOne } from '../../sign-in/account-part.js'
import { addressPerson, askForMail } from '../../sign-in/ask-signin.js'
import { redirectTarget, urlLeadingOn } from '../../sign-in/find-return-target.js'
import { mailFrom, SESSIONS_ENDED, showDone, showForm, showMailed, shownAgain } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { leadingToSignIn } from '../../sign-in/leading-to-sign-in.js'
import { changes } from '../../sign-in/list-actions.js'
import { FORGOTTEN } from '../../sign-in/note.js'
import { type Caller, carryOut, ownerIn } from '../../sign-in/operation.js'
import { redirect } from '../../sign-in/outcome.js'
import { invitedAddress, visitorBeside } from '../../sign-in/sign-in-page.js'
import { replaceCookie } from '../../sign-in/sign-out-here.js'
import { type Action, lookAtSession, type Visit } from '../../sign-in/visit.js'
import { ownPage } from './choose.js'
import { normalized } from './hash.js'
import { passwordOperations, serviceIn } from './operations.js'
import { askForm, CHANGED, changeForm, type FormRefusal, REMOVE, REMOVED, refused, sentTo } from './pages.js'
import { tellOwner } from './password-sign-in.js'

/** GET password: asks for the address to which a link is mailed, for a first password or a new one. */
export const showAsk: Action = async (visit) => {
  const asked = await askedIn(visit)
  const own = await ownPage(visit, asked.isNew ? 'new' : 'ask')
  if (own !== null) return own
  const { note, cookies } = visit.config.notes.take(visit, FORGOTTEN)
  // Whoever is signed in has no password yet, or has forgotten it.
  const reading = note ? null : await lookAtSession(visit, 'read')
  const entered = note?.email ?? (textOf(reading?.session?.user?.email) || undefined)
  const shown = await showForm(visit, askForm({ entered, ...asked }))
  return { ...shown, cookies: [...shown.cookies, ...cookies] }
}

/** Who may not sign up is not asked to. */
async function askedIn(visit: Visit) {
  const { query, config } = visit
  const entered = await invitedAddress(visit)
  const invitation = entered ? { entered, invited: query.get(INVITED) ?? '', signedIn: await visitorBeside(visit) } : {}
  return { isNew: query.has('new') && config.isSignUpOpen, ...invitation }
}

/**
 * POST password: mails a link. The answer is the same for every address, and so is the work: only the mail says whether somebody
 * has it (PWD-10).
 */
export const postAsk: Action = async (visit) => {
  const { fields, config } = visit
  const { links, passwords, store, provider, sender, sendLink, addressOf, policy } = await serviceIn(config)
  const email = addressOf(fields['email'], visit.source)
  const asked = await askedIn(visit)
  if (email === null) {
    const form = askForm({ ...asked, entered: shownAgain(fields['email']) })
    return showForm(visit, form, refused('address', policy.minLength))
  }
  const user = (await store.getUserByEmail(email)) ?? null
  const elsewhere = await askForMail(config.callbacks.signIn, addressPerson(email, provider, user))
  if (elsewhere !== null) return redirect(await redirectTarget(visit, elsewhere))
  const userId = user && String(user.id)
  const version = await passwords.versionOf(userId ?? '')
  const callbackUrl = await visit.returnTarget()
  const unsent = await mailFrom(visit, askForm({ ...asked, entered: email }), () =>
    links.mail(visit, userId, { email, userId, version }, (token) => {
      const query = new URLSearchParams({ token, callbackUrl })
      const url = `${visit.mountUrl}/password/choose?${query}`
      return sendLink(visit, email, { url, isKnown: user !== null })
    }),
  )
  return unsent ?? showMailed(visit, sentTo(email, asked), sender)
}

/** GET password/change: for somebody who knows the password that they have. */
export const showChange: Action = leadingToSignIn('password/change', async (visit) => {
  const service = await serviceIn(visit.config)
  const userId = String((await ownerIn(visit, 'to change a password')).user.id)
  // Who has none, or one that cannot be read, chooses one by mail, as at a sign-up.
  return (await service.passwords.find(userId)) === null
    ? redirect(await urlLeadingOn(visit, 'password'))
    : ((await ownPage(visit, 'change')) ?? showForm(visit, changeForm(service.policy.minLength)))
})

/** POST password/change: ends all other sessions. */
export const postChange: Action = leadingToSignIn('password/change', async (visit) => {
  const { fields, config } = visit
  const service = await serviceIn(config)
  const { passwords, policy } = service
  const { user } = await ownerIn(visit, 'to change a password')
  const userId = String(user.id)
  const refuse = (reason: FormRefusal) =>
    showForm(visit, changeForm(policy.minLength), refused(reason, policy.minLength))
  const { isRight, version } = await passwords.check(userId, textOf(fields['password']))
  if (!isRight) return refuse('wrong')
  await happened.proved(visit)
  const password = textOf(fields['newPassword'])
  // Otherwise all would read that there is a new one, also whoever sends the page again.
  if (normalized(password) === normalized(textOf(fields['password']))) return refuse('same')
  const refusal = await service.refusalFor(password, { userId, email: user.email, name: user.name })
  if (refusal !== null) return refuse(refusal)
  const endOthers = async () => {
    if (config.endsSessions) await visit.sessions.revokeOthers(visit)
  }
  // Before as well: if the store fails at that, nothing is stored.
  await endOthers()
  if (!(await passwords.replace(userId, password, version))) return refuse('wrong')
  // First: the owner is told also if the store fails before the sessions have ended.
  await tellOwner(visit, userId)
  await endOthers()
  // Nor does a copy of the cookie here outlive the password.
  await replaceCookie(visit, null)
  return done(visit, CHANGED)
})

/** GET password/remove: asks whether to. */
export const showRemove: Action = leadingToSignIn('password/remove', async (visit) => {
  const service = await serviceIn(visit.config)
  const userId = String((await ownerIn(visit, 'to remove a password')).user.id)
  return (await service.passwords.has(userId))
    ? showForm(visit, REMOVE)
    : redirect(await urlLeadingOn(visit, 'password'))
})

/** POST password/remove: ends all other sessions. */
export const postRemove: Action = leadingToSignIn(
  'password/remove',
  changes('The configuration has no passwords.', async (caller, _fields, visit) => {
    await carryOut(passwordOperations.removePassword, caller, [])
    return { body: { removed: true }, shows: await done(visit, REMOVED) }
  }),
)

/** An application with a page of its own says itself what was done. */
const done = async (visit: Visit, said: typeof CHANGED) =>
  visit.urls.ownPage('password')
    ? redirect(await visit.returnTarget())
    : showDone(visit, { ...said, ...(visit.config.endsSessions && SESSIONS_ENDED) })

/** Whether the visitor has a password, and where they change it. */
export async function passwordPart(caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const { userId } = await caller.read()
  if (userId === null) return null
  const { passwords } = await serviceIn(visit.config)
  const isThere = await passwords.has(String(userId))
  return partOfOne(
    { title: pageText('field.password'), none: pageText('account.password.none') },
    isThere ? { name: pageText('account.password.isSet') } : null,
    isThere
      ? [
          leadsTo(visit, 'password/change', pageText('account.change')),
          leadsToRemoval(visit, 'password/remove', pageText('account.remove')),
        ]
      : [leadsTo(visit, 'password', pageText('account.password.choose'))],
  )
}
