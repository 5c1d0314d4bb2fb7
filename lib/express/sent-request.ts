import type { Config } from '../config/config.js'
import type { SentRequest } from '../context/csrf-token.js'
import { headerOf } from '../http/node-request.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin } from './public-origin.js'

/**
 * A request of Express as the check of its sender takes it.
 *
 * @throws {AuthError} if the origin is unknown
 */
export const sentRequestOf = (req: MiddlewareRequest, config: Config): SentRequest => ({
  config,
  source: req,
  method: req.method,
  origin: requireOrigin(req, config),
  header: (name) => headerOf(req, name),
})
