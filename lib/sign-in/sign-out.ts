import {
  comeBackFromProvider,
  type EndableSession,
  endableSessionOf,
  leaveForProvider,
  readEndableSession,
  showProviderLogout,
} from '../features/provider-logout/provider-logout.js'
import { RequestRefused } from '../kernel/errors.js'
import { siteOf, withParams } from '../pages/action-urls.js'
import { signedOutPage, signOutPage } from '../pages/signout.js'
import { csrfTokenOf } from './csrf-token.js'
import { homeOf, rememberReturnTarget } from './find-return-target.js'
import { lookAtSession } from './look-at-session.js'
import { page, redirect, redirectAfter } from './outcome.js'
import { signInPageWithTarget } from './send-link-form.js'
import { signOutHere } from './sign-out-here.js'
import type { Action, Visit } from './visit.js'

/** GET signout: asks whether to sign out. With the id of a provider in the path: the visitor comes back from there. */
export const showSignOut: Action = async (visit) => {
  const { urls, query, origin, config, provider } = visit
  if (provider) return comeBackFromProvider(visit)
  const leaving = query.has('endSession') ? await showProviderLogout(visit) : null
  if (leaving) return leaving
  const error = query.get('error') || undefined
  const form = csrfTokenOf(visit)
  const own = urls.ownPage('signOut')
  if (own) {
    const cookies = [...form.cookies, ...(await rememberReturnTarget(visit))]
    const callbackUrl = query.has('callbackUrl') ? await visit.returnTarget() : undefined
    return redirect(withParams(own, { callbackUrl, error }, origin), cookies)
  }
  // If the session cannot be read, somebody may be signed in, and must be able to sign out.
  const reading = await lookAtSession(visit)
  if (reading && reading.session === null) {
    const signInUrl = await signInPageWithTarget(visit)
    return page(signedOutPage({ host: siteOf(origin).host, signInUrl, homeUrl: homeOf(config, origin) }), form.cookies)
  }
  const returnTarget = await visit.returnTarget()
  const view = signOutPage({
    action: urls.action('signout'),
    csrfToken: form.token,
    // Without a target of its own, the sign-out leads back here, where the page says that nobody is signed in any more.
    callbackUrl: returnTarget === origin && !query.has('callbackUrl') ? urls.action('signout') : returnTarget,
    stayUrl: returnTarget,
    ...siteOf(origin),
    error,
    endSession: offered(reading && endableSessionOf(visit, reading)),
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(visit))])
}

const offered = (session: EndableSession | null) =>
  session && { name: session.settings.name, isAsked: session.settings.endSession === 'offer' }

/**
 * POST signout: ends the session of the request, if it has one, and redirects the visitor to the return target; to a page
 * that says so if a copy of the session may still work. The session here ends first, and then perhaps that at the provider.
 */
export const postSignOut: Action = async (visit) => {
  if (visit.provider) throw new RequestRefused(404, 'A sign-out has no provider in its path.')
  const returnTarget = await visit.returnTarget()
  const endable = await readEndableSession(visit)
  const { cookies, fault } = await signOutHere(visit, visit.config)
  if (fault) return redirectAfter(fault, visit, cookies)
  const leaving = endable && isWanted(visit, endable) ? await leaveForProvider(visit, endable, returnTarget) : null
  return leaving ? { ...leaving, cookies: [...cookies, ...leaving.cookies] } : redirect(returnTarget, cookies)
}

/** A route of the application that answers itself says `false`: the visitor goes nowhere then. */
function isWanted({ fields: { endSession } }: Visit, { settings }: EndableSession): boolean {
  if (endSession === 'false' || endSession === false) return false
  return settings.endSession === 'always' || endSession === 'true' || endSession === true
}
