import type { LinkedAccount, UserAccounts } from '../accounts/user-accounts.js'
import { ENDED_MEANWHILE, signInPageUrl, withParams } from '../context/action-urls.js'
import { json, type Outcome, redirect } from '../context/outcome.js'
import { rememberReturnTarget } from '../context/return-target.js'
import type { Action, Visit } from '../context/visit.js'
import { MissingAdapterMethods, RequestRefused } from '../errors.js'
import { requireRecent } from '../sessions/recent-auth.js'

/** GET accounts: the accounts of the visitor at providers, as JSON; 401 if nobody is signed in. */
export const listAccounts: Action = async (visit) => {
  const { userId } = await visit.sessions.read(visit)
  if (userId === null) return json({ message: SIGN_IN_FIRST }, [], 401)
  const accounts = await whereKept(visit, (accounts) => accounts.list(userId))
  return json({ accounts: accounts.map(publicAccount) })
}

/**
 * POST accounts/unlink: removes the account `id` of the visitor, who must have signed in recently: a stranger at an open
 * browser must not be able to lock its owner out.
 */
export const unlinkAccount: Action = async (visit) => {
  const { id } = visit.fields
  if (typeof id !== 'string' || id === '') throw new RequestRefused(400, 'Say which account to remove: `id`.')
  if (!visit.wantsPage) {
    if (!(await unlink(visit, id))) return json({ message: SIGN_IN_FIRST }, [], 401)
    return json({ unlinked: true })
  }
  // Who must sign in again comes back to the page with the list.
  visit.keep.onFailure({ wayBack: await rememberReturnTarget(visit) })
  return unlinkFromPage(visit, id)
}

async function unlinkFromPage(visit: Visit, id: string): Promise<Outcome> {
  const { urls, origin } = visit
  const returnTarget = await visit.returnTarget()
  if (await unlink(visit, id)) return redirect(returnTarget)
  const signIn = signInPageUrl(urls.ownPage('signIn') ?? urls.action('signin'), returnTarget, origin)
  return redirect(withParams(signIn, ENDED_MEANWHILE, origin))
}

/** False when nobody is signed in. */
async function unlink(visit: Visit, id: string): Promise<boolean> {
  const { recentAuthAge, now, notices } = visit.config
  const reading = await visit.sessions.read(visit)
  const { userId } = reading
  if (userId === null) return false
  requireRecent(reading, recentAuthAge, now, 'to remove an account')
  const { provider } = await whereKept(visit, (accounts) => accounts.unlink(userId, id, { source: visit.source }))
  await notices?.send({
    kind: 'account-unlinked',
    userId,
    provider,
    origin: visit.origin,
    acceptLanguage: visit.header('accept-language'),
    source: visit.source,
  })
  return true
}

/**
 * Runs work that needs the accounts of users.
 *
 * @throws {RequestRefused} 404 if the configuration keeps none. Any visitor can ask, so this is no fault for the log
 */
async function whereKept<T>({ config }: Visit, work: (accounts: UserAccounts) => Promise<T>): Promise<T> {
  if (config.accounts === null) throw new RequestRefused(404, NOT_KEPT)
  try {
    return await work(config.accounts)
  } catch (error) {
    throw error instanceof MissingAdapterMethods ? new RequestRefused(404, NOT_KEPT) : error
  }
}

/** What a browser gets of an account. Its id at the provider stays here. */
const publicAccount = ({ id, provider, name, type, scope, isOnlyWayIn }: LinkedAccount) => ({
  id,
  provider,
  name,
  type,
  scope,
  isOnlyWayIn,
})

const SIGN_IN_FIRST = 'Sign in first.'
const NOT_KEPT = 'No list of accounts is kept here. It needs an adapter that lists and removes accounts.'
