import { type Action, redirect } from './action.js'
import { callbackUrlCookie } from './callback-url-cookie.js'
import { elsewhere } from './elsewhere.js'
import { flowRequest } from './flow-request.js'

/** POST signin: sends the visitor to the provider, or to the sign-in page when the provider's form is there. */
export const startSignIn: Action = async (context) => {
  const { provider, urls, config, scheme, cookies } = context
  const remembered = callbackUrlCookie(context)
  if (!provider?.flow.start) return redirect(urls.action('signin'), remembered)
  const holder = () => scheme.sessions.holder(cookies)
  const start = await provider.flow.start(flowRequest(context), () => config.accounts.beginner(holder))
  if ('elsewhere' in start) return redirect(await elsewhere(context, start.elsewhere), remembered)
  return redirect(start.url, [...remembered, ...start.cookies])
}
