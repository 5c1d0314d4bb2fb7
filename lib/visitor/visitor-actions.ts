import type { LinkedAccount } from '../features/linking/user-accounts.js'
import type { Passkey } from '../features/passkeys/user-passkeys.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import type { BodyFields } from '../kernel/body.js'
import type { CookieChange } from '../kernel/cookies.js'
import {
  type AuthError,
  InvalidConfiguration,
  MissingAdapter,
  MissingAdapterMethods,
  RequestRefused,
} from '../kernel/errors.js'
import { ENDED_MEANWHILE, signInPageUrl, withParams } from '../pages/action-urls.js'
import { type CurrentReading, currentReading } from '../sessions/current-session.js'
import type { ListedSession } from '../sessions/listed-session.js'
import { rememberReturnTarget } from '../sign-in/find-return-target.js'
import type { Caller } from '../sign-in/operation.js'
import { json, jsonAfter, redirect, redirectAfter } from '../sign-in/outcome.js'
import { signOutHere } from '../sign-in/sign-out-here.js'
import type { Action, Visit } from '../sign-in/visit.js'
import { act, OPERATIONS } from './operations.js'
import type { OperationName } from './visitor.js'

/** An operation over HTTP. */
export interface VisitorAction {
  readonly action: Action
  readonly bearer: boolean
}

/** What was done: what a script gets, and what the browser gets. */
interface Done {
  readonly body: unknown
  readonly status?: number
  readonly cookies?: readonly CookieChange[]
  /** Why a part of it is not done; it is in the log. */
  readonly fault?: AuthError | null | undefined
}

/** GET: a list, as JSON; 401 if nobody is signed in. */
const lists = (name: OperationName, notKept: string, body: (caller: Caller) => Promise<object>): VisitorAction => ({
  action: async (visit) => json(await whereKept(notKept, () => body(callerOf(visit)))),
  bearer: OPERATIONS[name].bearer ?? false,
})

/** POST: a form of a page comes back to its page, and a script gets JSON. */
const changes = (
  name: OperationName,
  notKept: string,
  work: (caller: Caller, fields: BodyFields, visit: Visit) => Promise<Done>,
): VisitorAction => ({
  async action(visit) {
    const caller = callerOf(visit)
    const { wantsPage } = visit
    if (wantsPage) {
      // Who must sign in again comes back to the page with the list.
      visit.keep.onFailure({ wayBack: await rememberReturnTarget(visit) })
      if ((await caller.read()).session === null) return toSignIn(visit)
    }
    const done = await whereKept(notKept, () => work(caller, visit.fields, visit))
    const { body, status = 200, cookies = [], fault } = done
    if (fault) {
      const redirection = redirectAfter(fault, visit, cookies)
      return wantsPage ? redirection : jsonAfter(fault, redirection.to, cookies)
    }
    // Also if there is no such session any more: the page with the list does not show it, which is what the visitor wants.
    return wantsPage ? redirect(await visit.returnTarget(), cookies) : json(body, cookies, status)
  },
  bearer: OPERATIONS[name].bearer ?? false,
})

function callerOf(visit: Visit): Caller {
  let reading: MaybePromise<CurrentReading> | undefined
  return {
    config: visit.config,
    context: visit,
    method: visit.method,
    read() {
      // The event `session` is about sessions that are given out, and none is here.
      reading ??= currentReading(visit.sessions.read(visit), visit, null)
      return reading
    },
    visit: () => visit,
  }
}

/** The sign-in page, which leads back. Whoever submitted the form was signed out meanwhile, perhaps in another tab. */
async function toSignIn(visit: Visit) {
  const { urls, origin } = visit
  const signIn = signInPageUrl(urls.ownPage('signIn') ?? urls.action('signin'), await visit.returnTarget(), origin)
  return redirect(withParams(signIn, ENDED_MEANWHILE, origin))
}

/**
 * Runs work that needs something that the configuration keeps.
 *
 * @throws {RequestRefused} 404 if it does not. Any visitor can ask, so this is no fault for the log
 */
async function whereKept<T>(notKept: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw NOT_KEPT.some((type) => error instanceof type) ? new RequestRefused(404, notKept) : error
  }
}

const NOT_KEPT = [InvalidConfiguration, MissingAdapter, MissingAdapterMethods]

const NO_SESSIONS =
  'No list of sessions is kept here. Session tokens need session.revocation, and stored sessions an adapter that lists them.'
const NO_ACCOUNTS = 'No list of accounts is kept here. It needs an adapter that lists and removes accounts.'
const NO_PASSKEYS = 'No list of passkeys is kept here. It needs an adapter that lists, renames and removes passkeys.'

/** Which sessions shall end: that with this id, all others, or all. */
type Choice = { readonly id: string } | 'others' | 'all'

/** @throws {RequestRefused} 400 if the fields do not say exactly which */
function readChoice({ id, others, all }: BodyFields): Choice {
  const choices: Choice[] = []
  if (typeof id === 'string') choices.push({ id })
  if (isTrue(others)) choices.push('others')
  if (isTrue(all)) choices.push('all')
  const given = [id, others, all].filter((value) => value !== undefined)
  const [choice] = choices
  if (choice === undefined || given.length !== 1) throw new RequestRefused(400, ONE_CHOICE)
  return choice
}

const isTrue = (value: unknown): boolean => value === true || value === 'true'

const ONE_CHOICE = 'Say which sessions to end: `id`, or `others=true`, or `all=true`, and only one of them.'

function textOf(value: unknown, refusal: string): string {
  if (typeof value !== 'string' || value === '') throw new RequestRefused(400, refusal)
  return value
}

/** Names what a browser gets of something; anything else stays here. */
const only =
  <Item, Name extends keyof Item>(...names: Name[]) =>
  (item: Item): Pick<Item, Name> =>
    Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<Item, Name>

const publicSession = only<ListedSession, keyof ListedSession>(
  ...(['id', 'isCurrent', 'kind', 'name', 'scope', 'createdAt', 'lastSeenAt'] as const),
  ...(['expires', 'browser', 'system', 'network'] as const),
)
const publicAccount = only<LinkedAccount, keyof LinkedAccount>('id', 'provider', 'name', 'type', 'scope', 'isOnlyWayIn')
const publicPasskey = ({ credentialID: id, name, createdAt, lastUsedAt, kind, backedUp, transports }: Passkey) => ({
  id,
  name,
  createdAt,
  lastUsedAt,
  kind,
  backedUp,
  transports,
})

export const listSessions = lists('listSessions', NO_SESSIONS, async (caller) => ({
  sessions: (await act('listSessions', caller, [])).map(publicSession),
}))

export const listAccounts = lists('listAccounts', NO_ACCOUNTS, async (caller) => ({
  accounts: (await act('listAccounts', caller, [])).map(publicAccount),
}))

export const listPasskeys = lists('listPasskeys', NO_PASSKEYS, async (caller) => ({
  passkeys: (await act('listPasskeys', caller, [])).map(publicPasskey),
}))

/** Ends the session `id`, or all sessions but this one (`others`), or all of them (`all`). */
export const revokeSessions = changes('revokeSession', NO_SESSIONS, async (caller, fields, visit) => {
  const choice = readChoice(fields)
  if (typeof choice === 'object') {
    const { isRevoked, cookies, fault } = await act('revokeSession', caller, [choice.id])
    // The same answer for the session of another user and for an id that nobody has.
    return { body: { revoked: isRevoked ? 1 : 0 }, status: isRevoked ? 200 : 404, cookies, fault }
  }
  // The others end first: if that fails, the visitor is still signed in and can try again.
  const others = await act('revokeOtherSessions', caller, [])
  if (choice === 'others') return { body: { revoked: others } }
  const { userId } = await caller.read()
  const { isEnded, cookies, fault } = await signOutHere(visit, visit.config)
  if (fault) return { body: null, cookies, fault }
  // A session that was not in the list, or that began meanwhile.
  visit.keep.always('session', cookies)
  const late = userId === null ? 0 : await visit.sessions.revokeAllOf(userId)
  return { body: { revoked: others + (isEnded ? 1 : 0) + late }, cookies }
})

export const unlinkAccount = changes('unlinkAccount', NO_ACCOUNTS, async (caller, { id }) => {
  await act('unlinkAccount', caller, [textOf(id, 'Say which account to remove: `id`.')])
  return { body: { unlinked: true } }
})

export const renamePasskey = changes('renamePasskey', NO_PASSKEYS, async (caller, { id, name }) => {
  const change = {
    credentialID: textOf(id, 'Say which passkey to rename: `id`.'),
    name: textOf(name, 'Say the new name of the passkey: `name`.'),
  }
  return { body: { passkey: publicPasskey(await act('renamePasskey', caller, [change])) } }
})

export const removePasskey = changes('removePasskey', NO_PASSKEYS, async (caller, { id }) => {
  const credentialID = textOf(id, 'Say which passkey to remove: `id`.')
  const { signal } = await act('removePasskey', caller, [{ credentialID }])
  return { body: { removed: true, signal } }
})
