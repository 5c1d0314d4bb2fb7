import { RequestRefused } from '../kernel/errors.js'
import { siteOf, withParams } from '../pages/action-urls.js'
import { signedOutPage, signOutPage } from '../pages/signout.js'
import { ownReading } from '../sessions/session.js'
import { csrfTokenOf } from './csrf-token.js'
import { pointsIn } from './feature.js'
import { forgetPageOfMount, homeOf, rememberReturnTarget } from './find-return-target.js'
import { page, redirect, redirectAfter } from './outcome.js'
import { signInPageWithTarget } from './sign-in-form.js'
import { signOutHere } from './sign-out-here.js'
import { type Action, lookAtSession } from './visit.js'

/** GET signout: asks whether to sign out. With the id of a provider in the path: the visitor comes back from there. */
export const showSignOut: Action = async (visit) => {
  const { urls, query, origin, config, provider } = visit
  const elsewhere = pointsIn(config).signOut
  if (provider && elsewhere) return elsewhere.comeBack(visit)
  if (provider) throw new RequestRefused(404, 'Nobody comes back from a sign-out at this provider.')
  const goingOn = query.has('endSession') ? await elsewhere?.goOn(visit) : null
  if (goingOn) return goingOn
  forgetPageOfMount(visit)
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
    // Without a target of its own, the sign-out leads back here, where the page says that nobody is signed in any more. The target
    // of the sign-in is often a protected page, which would lead to the sign-in page.
    callbackUrl: query.has('callbackUrl') ? returnTarget : urls.action('signout'),
    stayUrl: returnTarget,
    ...siteOf(origin),
    error,
    isActing: reading?.actor !== undefined,
    endSession: elsewhere?.offer(visit, reading && ownReading(reading)) ?? null,
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(visit))])
}

/**
 * POST signout: ends the session of the request, if it has one, and redirects the visitor to the return target; to a page
 * that says so if a copy of the session may still work. The session here ends first, and then perhaps that at the provider.
 */
export const postSignOut: Action = async (visit) => {
  if (visit.provider) throw new RequestRefused(404, 'A sign-out has no provider in its path.')
  const returnTarget = await visit.returnTarget()
  const leave = await pointsIn(visit.config).signOut?.leave(visit)
  const { cookies, fault } = await signOutHere(visit, visit.config)
  if (fault) return redirectAfter(fault, visit, cookies)
  const leaving = (await leave?.(returnTarget)) ?? null
  return leaving ? { ...leaving, cookies: [...cookies, ...leaving.cookies] } : redirect(returnTarget, cookies)
}
