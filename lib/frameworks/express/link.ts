import type { ConfigSource } from '../../config/options.js'
import { beginLink, checkLinkOptions, type LinkOptions } from '../../visitor/operations.js'
import { engineOf, type MiddlewareRequest, type MiddlewareResponse } from './middleware.js'
import { callerOf } from './operations.js'
import { answerRoute, submitForm } from './submitted-form.js'

const CALL = 'startLink(req, res, config, provider, options)'

/**
 * Begins to add an account of the signed-in user at a provider, from a route of the application. It sends the answer: a
 * redirect. If it throws, it sends nothing.
 *
 * A request that changes something, such as POST, must come from a page of this origin, and goes to the provider at once.
 * A link leads to the page that asks first. Nobody is signed in by it, and the session stays as it is.
 *
 * @param provider id
 * @throws {MissingCSRF} when a request that changes something may come from another site
 * @throws {RecentSignInRequired} when the user must sign in again first
 * @throws {AuthError} as {@link Visitor.linkUrl}, or when the answer has been sent
 * @example
 * app.post('/accounts/add', (req, res) => startLink(req, res, config, 'github', { redirectTo: '/accounts' }))
 */
export async function startLink(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
  provider: string,
  options: LinkOptions = {},
): Promise<void> {
  checkLinkOptions(options, CALL)
  const engine = await engineOf(req, config, CALL)
  await answerRoute(req, res, engine, CALL, async (request, onFailure) => {
    const begun = await beginLink(callerOf(req, engine), provider, options)
    return 'url' in begun
      ? { url: begun.url, cookies: [] }
      : submitForm(request, begun.target, begun.fields, { onFailure })
  })
}
