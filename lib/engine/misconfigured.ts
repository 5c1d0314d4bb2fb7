import type { AuthConfig } from '../config/options.js'
import { AuthError, withoutDetails } from '../errors.js'
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
 * The answer to every request under a configuration that cannot work: 500, as a page where a page was asked for and as JSON
 * everywhere else. Why is in the log.
 */
export async function misconfigured(
  config: Pick<AuthConfig, 'logger' | 'debug'> | null | undefined,
  error: unknown,
  { method, target }: Pick<Incoming, 'method' | 'target'>,
): Promise<ResponseInternal> {
  const fault = error instanceof AuthError ? error : new AuthError('Something threw.', { err: withoutDetails(error) })
  completeLogger(config?.logger, config?.debug ?? false).error(fault)
  // Two slashes at the front would make the link one to another host.
  const path = (target.split('?', 1)[0] ?? '').replace(/^\/+/, '/')
  if (method !== 'POST' && PAGE.test(path)) {
    const view = errorPage({ error: 'Configuration', signInUrl: path.replace(PAGE, '/signin') })
    const { html, headers } = await createPageRenderer({ theme: {} }).render(view)
    return { status: 500, headers, body: html }
  }
  return {
    status: 500,
    headers: { 'content-type': 'application/json', 'cache-control': NO_STORE['cache-control'] },
    body: JSON.stringify({ message: CONFIGURATION_MESSAGE }),
  }
}
