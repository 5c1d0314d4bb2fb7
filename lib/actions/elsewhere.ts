import { formatTarget, parseTarget } from '../http/callback-url.js'
import type { ActionContext } from './action.js'

/** Where the `signIn` callback's text leads: as the `redirect` callback maps it, and the origin when that is no http(s) URL. */
export async function elsewhere({ config, urls }: ActionContext, url: string): Promise<string> {
  const baseUrl = urls.origin
  const chosen = await config.callbacks.redirect({ url, baseUrl })
  const target = parseTarget(chosen, baseUrl)
  return target ? formatTarget(target, chosen) : baseUrl
}
