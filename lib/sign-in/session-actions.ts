import type { BodyFields } from '../kernel/body.js'
import { RequestRefused } from '../kernel/errors.js'
import type { PublicProvider } from '../providers/provider.js'
import { currentSessionOf, messageOf, type SessionReading } from '../sessions/session.js'
import type { ListedSession } from '../sessions/session-manager.js'
import { csrfTokenOf } from './csrf-token.js'
import { rememberReturnTarget } from './find-return-target.js'
import { changes, lists, pick } from './list-actions.js'
import { carryOut } from './operation.js'
import { json, type Outcome } from './outcome.js'
import * as operations from './session-operations.js'
import { signOutHere } from './sign-out-here.js'
import type { Action, Visit } from './visit.js'

const NO_SESSIONS =
  'No list of sessions is kept here. Session tokens need session.revocation, and stored sessions an adapter that lists them.'

const publicSession = pick<ListedSession, keyof ListedSession>(
  'id',
  'isCurrent',
  'kind',
  'name',
  'scope',
  'createdAt',
  'lastSeenAt',
  'expires',
  'browser',
  'system',
  'network',
)

export const getSessions = lists(NO_SESSIONS, async (caller) => ({
  sessions: (await carryOut(operations.listSessions, caller, [])).map(publicSession),
}))

/** Ends the session `id`, or all sessions but this one (`others`), or all of them (`all`). */
export const postRevokeSessions = changes(NO_SESSIONS, async (caller, fields, visit) => {
  const choice = readChoice(fields)
  if (typeof choice === 'object') {
    const { isRevoked, cookies, fault } = await carryOut(operations.revokeSession, caller, [choice.id])
    const says = fields['kind'] === 'token' ? 'token' : 'session'
    // The same answer for the session of another user and for an id that nobody has.
    return { body: { revoked: isRevoked ? 1 : 0 }, status: isRevoked ? 200 : 404, cookies, fault, says }
  }
  // The others end first: if that fails, the visitor is still signed in and can try again.
  const others = await carryOut(operations.revokeOtherSessions, caller, [])
  if (choice === 'others') return { body: { revoked: others }, says: 'sessions' }
  const { userId } = await caller.read()
  const { isEnded, cookies, fault } = await signOutHere(visit, visit.config)
  if (fault) return { body: null, cookies, fault }
  // A session that was not in the list, or that began meanwhile.
  visit.keep.always('session', cookies)
  const late = userId === null ? 0 : await visit.sessions.revokeAllOf(userId)
  return { body: { revoked: others + (isEnded ? 1 : 0) + late }, cookies }
})

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

/** GET session: the session as JSON, null when nobody is signed in. */
export const getSession: Action = async (visit) => answer(visit, await visit.sessions.renew(visit))

/** POST session: the same, with the client's `data` handed to the callbacks first. */
export const postSession: Action = async (visit) =>
  answer(visit, await visit.sessions.update(visit, visit.fields['data']))

async function answer({ config, source }: Visit, reading: SessionReading): Promise<Outcome> {
  const { session, cookies } = reading
  const message = messageOf(reading)
  if (message) await config.emit('session', message, source)
  return json(config.exposesSessionIds ? currentSessionOf({ ...reading, authentication: undefined }) : session, cookies)
}

/** GET providers: the ways to sign in, by id, in the configured order. */
export const listProviders: Action = ({ config, urls }) => {
  const list = [...config.providers.values()].map(({ id, name, type }): [string, PublicProvider] => [
    id,
    { id, name, type, signinUrl: urls.action('signin', id), callbackUrl: urls.action('callback', id) },
  ])
  return json(Object.fromEntries(list))
}

/** GET csrf: the token for forms of the application's own. */
export const getCsrfToken: Action = async (visit) => {
  if (!visit.config.csrf) throw new RequestRefused(404, 'CSRF protection is turned off.')
  const { token, cookies } = csrfTokenOf(visit)
  // A form of the application's own starts here. Like the built-in form, it has a return target.
  return json({ csrfToken: token }, [...cookies, ...(await rememberReturnTarget(visit))])
}
