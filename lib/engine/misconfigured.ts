import { processEnv } from '../config/env.js'
import type { AuthConfig } from '../config/options.js'
import type { ResponseInternal } from '../kernel/answer.js'
import { NO_STORE } from '../kernel/answer-headers.js'
import { ownError } from '../kernel/errors.js'
import type { Incoming } from '../kernel/incoming.js'
import { completeLogger } from '../kernel/logger.js'
import { formatPath, parseReturnTarget } from '../kernel/return-target.js'
import { errorPage } from '../pages/error.js'
import { createPageRenderer } from '../pages/renderer.js'
import { isAuthAction } from './action-names.js'

/** What a visitor learns if the configuration cannot work. Only the log says why. */
export const CONFIGURATION_MESSAGE =
  'There was a problem with the server configuration. Check the server logs for more information.'

/** Pages also for whoever does not say that they want one, as in Auth.js. */
const PAGE = /\/(signin|signout|error|verify-request)\/?$/

/**
 * The answer to every request if the configuration cannot work: 500, as a page if the request asks for one, and otherwise as
 * JSON. The log has the reason.
 */
export async function misconfigured(
  config: Pick<AuthConfig, 'logger' | 'debug'> | null | undefined,
  error: unknown,
  { method, target, header, source }: Pick<Incoming, 'method' | 'target' | 'header' | 'source'>,
): Promise<ResponseInternal> {
  // `logging` of the configuration is not used here, because it may be the wrong option.
  completeLogger(config?.logger, config?.debug ?? false).error(ownError(error, 'Something threw.'), source)
  const [path = ''] = target.split('?', 1)
  if (header('accept')?.includes('text/html') || (method !== 'POST' && PAGE.test(path))) {
    const view = errorPage({
      error: 'Configuration',
      signInUrl: signInBeside(path),
      homeUrl: '/',
      isDevelopment: !processEnv().isProduction,
    })
    const { html, headers } = await createPageRenderer({ theme: {} }).render(view, header('accept-language'))
    return { status: 500, headers, body: html }
  }
  return {
    status: 500,
    headers: { 'content-type': 'application/json', 'cache-control': NO_STORE['cache-control'] },
    body: JSON.stringify({ message: CONFIGURATION_MESSAGE }),
  }
}

/**
 * The address of the sign-in page under the same mount as another path; null if that names no action. Without a configuration
 * only the target of the request shows where the mount is, and a target can be any text.
 */
function signInBeside(path: string): string | null {
  const segments = path.replace(/\/$/, '').split('/')
  const at = [segments.length - 1, segments.length - 2].find((each) => isAuthAction(segments[each] ?? ''))
  if (at === undefined) return null
  const url = parseReturnTarget([...segments.slice(0, at), 'signin'].join('/'), 'http://localhost')
  return url ? formatPath(url) : '/signin'
}
