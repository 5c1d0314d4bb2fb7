import { siteOf, withParams } from '../context/action-urls.js'
import { csrfTokenOf } from '../context/csrf-token.js'
import { page, redirect, redirectAfter } from '../context/outcome.js'
import { homeOf, rememberReturnTarget } from '../context/return-target.js'
import type { Action, Visit } from '../context/visit.js'
import { RequestRefused } from '../errors.js'
import { signedOutPage } from '../pages/signed-out.js'
import { signOutPage } from '../pages/signout.js'
import { lookAtSession } from './look-at-session.js'
import {
  comeBackFromProvider,
  type EndableSession,
  endableSessionOf,
  leaveForProvider,
  readEndableSession,
  showProviderLogout,
} from './provider-logout.js'
import { signInPageWithTarget } from './send-link-form.js'
import { signOutHere } from './sign-out-here.js'

/** GET signout: asks whether to sign out. With the id of a provider in the path: the visitor comes back from there. */
export const showSignOut: Action = async (context) => {
  const { urls, query, origin, config, provider } = context
  if (provider) return comeBackFromProvider(context)
  const leaving = query.has('endSession') ? await showProviderLogout(context) : null
  if (leaving) return leaving
  const error = query.get('error') || undefined
  const form = csrfTokenOf(context)
  const own = urls.ownPage('signOut')
  if (own) {
    const cookies = [...form.cookies, ...(await rememberReturnTarget(context))]
    const callbackUrl = query.has('callbackUrl') ? await context.returnTarget() : undefined
    return redirect(withParams(own, { callbackUrl, error }, origin), cookies)
  }
  // If the session cannot be read, somebody may be signed in, and must be able to sign out.
  const reading = await lookAtSession(context)
  if (reading && reading.session === null) {
    const signInUrl = await signInPageWithTarget(context)
    return page(signedOutPage({ host: siteOf(origin).host, signInUrl, homeUrl: homeOf(config, origin) }), form.cookies)
  }
  const returnTarget = await context.returnTarget()
  const view = signOutPage({
    action: urls.action('signout'),
    csrfToken: form.token,
    // Without a target of its own, the sign-out leads back here, where the page says that nobody is signed in any more.
    callbackUrl: returnTarget === origin && !query.has('callbackUrl') ? urls.action('signout') : returnTarget,
    stayUrl: returnTarget,
    ...siteOf(origin),
    error,
    endSession: offered(reading && endableSessionOf(context, reading)),
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(context))])
}

const offered = (session: EndableSession | null) =>
  session && { name: session.settings.name, isAsked: session.settings.endSession === 'offer' }

/**
 * POST signout: ends the session of the request, if it has one, and redirects the visitor to the return target; to a page
 * that says so if a copy of the session may still work. The session here ends first, and then perhaps that at the provider.
 */
export const postSignOut: Action = async (context) => {
  if (context.provider) throw new RequestRefused(404, 'A sign-out has no provider in its path.')
  const returnTarget = await context.returnTarget()
  const endable = await readEndableSession(context)
  const { cookies, fault } = await signOutHere(context, context.config)
  if (fault) return redirectAfter(fault, context, cookies)
  const leaving = endable && isWanted(context, endable) ? await leaveForProvider(context, endable, returnTarget) : null
  return leaving ? { ...leaving, cookies: [...cookies, ...leaving.cookies] } : redirect(returnTarget, cookies)
}

/** A route of the application that answers itself says `false`: the visitor goes nowhere then. */
function isWanted({ fields: { endSession } }: Visit, { settings }: EndableSession): boolean {
  if (endSession === 'false' || endSession === false) return false
  return settings.endSession === 'always' || endSession === 'true' || endSession === true
}
