import { type CookieChange, setCookie } from '../http/cookies.js'
import type { ActionContext } from './action.js'

/** Remembers the return target, unless the browser's cookie already says so. */
export function callbackUrlCookie(
  { cookies, scheme, callbackUrl }: ActionContext,
  target = callbackUrl,
): readonly CookieChange[] {
  const { callbackUrl: spec } = scheme.specs
  return cookies.get(spec.name) === target ? [] : [setCookie(spec, target)]
}
