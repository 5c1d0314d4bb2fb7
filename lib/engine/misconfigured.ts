import type { AuthConfig } from '../config/options.js'
import { AuthError, withoutDetails } from '../errors.js'
import { formatPath, parseCallbackUrl } from '../http/callback-url.js'
import type { Incoming } from '../http/incoming.js'
import { NO_STORE } from '../http/no-store.js'
import type { ResponseInternal } from '../http/response-internal.js'
import { completeLogger } from '../logger.js'
import { errorPage } from '../pages/error.js'
import { createPageRenderer } from '../pages/renderer.js'

/** What is said when a configuration cannot work; the log says why. */
export const CONFIGURATION_MESSAGE =
  'There was a problem with the server configuration. Check the server logs for more information.'

const PAGE = /\/(signin|signout|error|verify-request)\/?$/

/**
 * The answer to every request under a configuration that cannot work: 500, as a page where a page was asked for and as
 * JSON everywhere else. Why is in the log.
 */
export async function misconfigured(
  config: Pick<AuthConfig, 'logger' | 'debug'> | null | undefined,
  error: unknown,
  { method, target }: Pick<Incoming, 'method' | 'target'>,
): Promise<ResponseInternal> {
  const fault = error instanceof AuthError ? error : new AuthError('Something threw.', { err: withoutDetails(error) })
  // Nothing says that what the configuration has for `logging` is sound: it may be what is wrong.
  completeLogger(config?.logger, config?.debug ?? false).error(fault)
  const [path = ''] = target.split('?', 1)
  if (method !== 'POST' && PAGE.test(path)) {
    const view = errorPage({ error: 'Configuration', signInUrl: signInBeside(path) })
    const { html, headers } = await createPageRenderer({ theme: {} }).render(view)
    return { status: 500, headers, body: html }
  }
  return {
    status: 500,
    headers: { 'content-type': 'application/json', 'cache-control': NO_STORE['cache-control'] },
    body: JSON.stringify({ message: CONFIGURATION_MESSAGE }),
  }
}

/**
 * The sign-in page beside a page. Without a configuration nothing but the target says where that is, and a target can
 * be anything.
 */
function signInBeside(path: string): string {
  const url = parseCallbackUrl(path.replace(PAGE, '/signin'), 'http://localhost')
  return url ? formatPath(url) : '/signin'
}
