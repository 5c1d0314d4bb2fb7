import type { AdapterUser } from '../../adapters/adapter.js'
import { AdapterError } from '../../kernel/errors.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { requireRecent } from '../../sessions/may-be-used.js'
import { leadsToRemoval, sends } from '../../sign-in/account-part.js'
import { homeOf } from '../../sign-in/find-return-target.js'
import { type PageForm, showDone, showForm } from '../../sign-in/form-page.js'
import { happened } from '../../sign-in/happened.js'
import { leadingToSignIn, onThisOrigin } from '../../sign-in/leading-to-sign-in.js'
import { type Caller, ownerIn, refuseSignedOut } from '../../sign-in/operation.js'
import { json } from '../../sign-in/outcome.js'
import { signOutHere } from '../../sign-in/sign-out-here.js'
import type { Action } from '../../sign-in/visit.js'
import { deleteUser, exportUser, PEOPLE } from './operations.js'

/** The part of the account page from which people take along what is stored about them. */
export const dataPart = async (caller: Caller): Promise<AccountPart | null> =>
  caller.config.services.get(PEOPLE) && {
    title: pageText('account.data'),
    lead: pageText('account.data.lead'),
    items: [],
    actions: [sends(caller.visit(), 'export', pageText('account.data.export'))],
  }

/** The part of the account page that leads to the deletion of the account. */
export const deletionPart = async (caller: Caller): Promise<AccountPart | null> =>
  caller.config.services.get(PEOPLE) && {
    title: pageText('account.delete'),
    lead: pageText('account.delete.lead'),
    items: [],
    actions: [leadsToRemoval(caller.visit(), 'delete', pageText('account.delete'))],
  }

/**
 * POST export: what is stored about the visitor, without any secret, as a file. It has more than pages are told otherwise, such as the
 * ids of accounts at providers.
 */
export const postExport: Action = onThisOrigin('account', async (visit) => {
  // Another process may have ended the session a moment ago.
  const principal = (await visit.readPrincipal()) ?? refuseSignedOut()
  requireRecent(principal, visit.config.recentAuthAge, visit.config.now, 'to get what is stored about them')
  const exported = (await exportUser(visit.config, principal.id)) ?? refuseSignedOut()
  // People read it.
  return { ...json(exported), indent: 2, headers: { 'content-disposition': 'attachment; filename="account.json"' } }
})

const deleteForm = ({ email, name, id }: AdapterUser): PageForm => ({
  path: 'delete',
  title: pageText('account.delete'),
  lead: pageText('account.delete.question', { user: email || name || String(id) }),
  submit: pageText('account.delete'),
  removes: true,
  leads: 'back',
})

const DEED = 'to delete their account'

/** GET delete: asks whether to. */
export const showDelete: Action = leadingToSignIn('delete', async (visit) => {
  const { user } = await ownerIn(visit, DEED)
  return showForm(visit, deleteForm(user))
})

/** POST delete: deletes the user who is signed in, with all that is theirs, and signs the browser out. */
export const postDelete: Action = onThisOrigin('delete', async (visit) => {
  const { config, origin, source } = visit
  const { user } = await ownerIn(visit, DEED)
  const userId = String(user.id)
  // Tokens that nothing can end are what the configuration says, and no fault.
  const remaining = (await deleteUser(config, userId))?.filter((way) => way !== 'sessions') ?? []
  if (remaining.length > 0) {
    config.logger.error(new AdapterError(`A user was deleted, and this may be left: ${remaining.join(', ')}.`), source)
  }
  const { cookies } = await signOutHere(visit, config)
  visit.keep.always('session', cookies)
  const told = user.email && user.emailVerified ? { email: user.email } : {}
  await happened.changed(visit, { kind: 'account-deleted', userId, ...told })
  visit.leadTo(homeOf(config, origin))
  return showDone(visit, { title: pageText('account.deleted'), text: pageText('account.deleted.lead') })
})
