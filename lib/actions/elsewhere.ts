import { given, type MaybePromise, whenReady } from '../awaitable.js'
import type { Config } from '../config/config.js'
import { formatTarget, parseTarget } from '../http/callback-url.js'
import type { ActionContext } from './action.js'

/** Where the `redirect` callback leads from a URL; null when that is no http(s) URL. */
export const mapRedirect = ({ callbacks }: Config, url: string, baseUrl: string): MaybePromise<string | null> =>
  whenReady(given(callbacks.redirect({ url, baseUrl })), (chosen) => {
    const target = parseTarget(chosen, baseUrl)
    return target && formatTarget(target, chosen)
  })

/** Where the `signIn` callback's text leads: as the `redirect` callback maps it, and the origin when that is no http(s) URL. */
export const elsewhere = async ({ config, urls }: ActionContext, url: string): Promise<string> =>
  (await mapRedirect(config, url, urls.origin)) ?? urls.origin
