import { AdapterError, RecentSignInRequired } from '../../kernel/errors.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { leadsTo, sends } from '../../sign-in/account-part.js'
import { type PageForm, showDone, showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { leadingToSignIn } from '../../sign-in/leading-to-sign-in.js'
import { refuseSignedOut } from '../../sign-in/operation.js'
import { json, redirect } from '../../sign-in/outcome.js'
import { signOutHere } from '../../sign-in/sign-out-here.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { deleteUser, exportUser, PEOPLE } from './operations.js'

/** The part of the account page from which people take along what is stored about them. */
export const dataPart = async (visit: Visit): Promise<AccountPart | null> =>
  visit.config.services.get(PEOPLE) && {
    title: pageText('account.data'),
    items: [],
    none: pageText('account.data.lead'),
    actions: [sends(visit, 'export', pageText('account.data.export'))],
  }

/** The part of the account page that leads to the deletion of the account. */
export const deletionPart = async (visit: Visit): Promise<AccountPart | null> =>
  visit.config.services.get(PEOPLE) && {
    title: pageText('account.delete'),
    items: [],
    none: pageText('account.delete.lead'),
    actions: [leadsTo(visit, 'delete', pageText('account.delete'))],
  }

/** POST export: what is stored about the visitor, without any secret, as a file. */
export const postExport: Action = leadingToSignIn('account', async (visit) => {
  const { user } = await ownerIn(visit)
  const exported = (await exportUser(visit.config, String(user.id))) ?? refuseSignedOut()
  return { ...json(exported), headers: { 'content-disposition': 'attachment; filename="account.json"' } }
})

const DELETE: PageForm = {
  path: 'delete',
  title: pageText('account.delete'),
  lead: pageText('account.delete.question'),
  submit: pageText('account.delete'),
  removes: true,
  fields: [],
  leads: 'back',
}

/** GET delete: asks whether to. */
export const showDelete: Action = leadingToSignIn('delete', async (visit) => {
  await ownerIn(visit)
  return showForm(visit, DELETE)
})

/** POST delete: deletes the user who is signed in, with all that is theirs, and signs the browser out. */
export const postDelete: Action = leadingToSignIn('delete', async (visit) => {
  const { config, urls, origin, source } = visit
  // Whoever takes over a front end on another origin must not be able to.
  if (visit.mayBeFromFrontEnd) return redirect(urls.action('delete'))
  const { user } = await ownerIn(visit)
  const userId = String(user.id)
  const left = await deleteUser(config, userId)
  if (left?.length)
    config.logger.error(new AdapterError(`A user was deleted, and this may be left: ${left.join(', ')}.`), source)
  const { cookies } = await signOutHere(visit, config)
  visit.keep.always('session', cookies)
  if (user.email && user.emailVerified) {
    await happened.changed(visit, { kind: 'account-deleted', userId, provider: null, email: user.email })
  }
  visit.leadTo(origin)
  return showDone(visit, { title: pageText('account.deleted'), text: pageText('account.deleted.lead') })
})

/**
 * Who is signed in, recently and in this browser.
 *
 * @throws {RequestRefused} 401 if nobody is; {RecentSignInRequired} if they must sign in again
 */
async function ownerIn(visit: Visit) {
  const signedIn = await (await visit.config.users()).signedIn(() => visit.readPrincipal())
  if (signedIn === null) refuseSignedOut()
  if (signedIn.mayAdd) return signedIn
  throw new RecentSignInRequired(
    'A user asked for the export or the deletion of their account, and signed in longer ago than session.recentAuthAge, in another browser, or nobody knows when.',
  )
}
