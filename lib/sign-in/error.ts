import { withParams } from '../pages/action-urls.js'
import { errorPage } from '../pages/error.js'
import { pointsIn } from './feature.js'
import { homeOf } from './find-return-target.js'
import { page, redirect } from './outcome.js'
import { signInPageWithTarget } from './sign-in-form.js'
import type { Action } from './visit.js'

/** GET error: says what failed. */
export const showError: Action = async (visit) => {
  const { urls, query, origin, config } = visit
  const error = query.get('error') || undefined
  const code = query.get('code') || undefined
  const own = urls.ownPage('error')
  if (own) return redirect(withParams(own, { error, code }, origin))
  for (const { error: pageOf } of pointsIn(config).pages) {
    const known = await pageOf?.(visit, error)
    if (known) return known
  }
  const signInUrl = await signInPageWithTarget(visit)
  return page(
    errorPage({ error, code, signInUrl, homeUrl: homeOf(config, origin), isDevelopment: config.isDevelopment }),
  )
}
