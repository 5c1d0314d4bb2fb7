import { RequestRefused } from '../kernel/errors.js'
import type { PublicProvider } from '../providers/provider.js'
import { currentSessionOf, messageOf, type SessionReading } from '../sessions/session.js'
import { csrfTokenOf } from './csrf-token.js'
import { rememberReturnTarget } from './find-return-target.js'
import { json, type Outcome } from './outcome.js'
import type { Action, Visit } from './visit.js'

/** GET session: the session as JSON, null when nobody is signed in. */
export const getSession: Action = async (visit) => answer(visit, await visit.sessions.renew(visit))

/** POST session: the same, with the client's `data` handed to the callbacks first. */
export const postSession: Action = async (visit) =>
  answer(visit, await visit.sessions.update(visit, visit.fields['data']))

async function answer({ config, source }: Visit, reading: SessionReading): Promise<Outcome> {
  const { session, cookies } = reading
  const message = messageOf(reading)
  if (message) await config.emit('session', message, source)
  return json(config.exposesSessionIds ? currentSessionOf(reading) : session, cookies)
}

/** GET providers: the ways to sign in, by id, in the configured order. */
export const listProviders: Action = ({ config, urls }) => {
  const list = [...config.providers.values()].map(({ settings: { id, name, type } }): [string, PublicProvider] => [
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
