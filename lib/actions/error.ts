import type { Action } from '../context/action-context.js'
import { withParams } from '../context/action-urls.js'
import { page, redirect } from '../context/outcome.js'
import { errorPage } from '../pages/error.js'

/** GET error: says what failed. */
export const showError: Action = async (context) => {
  const { urls, query, origin } = context
  const error = query.get('error') || undefined
  const code = query.get('code') || undefined
  const own = urls.ownPage('error')
  if (own) return redirect(withParams(own, { error, code }, origin))
  const returnTarget = await context.returnTarget()
  const target = returnTarget === origin ? {} : { callbackUrl: returnTarget }
  return page(errorPage({ error, code, signInUrl: withParams(urls.action('signin'), target, origin) }))
}
