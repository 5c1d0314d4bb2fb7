import type { ConfigSource } from '../../config/options.js'
import type { Log } from '../../kernel/logger.js'
import { object } from '../../kernel/object-shape.js'
import { NodeRequestContext, OpenConnectionContext } from '../../kernel/request-context.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import {
  type AcceptedUpgrade,
  judgeUpgrade,
  type RefusedUpgrade,
  refusedByFault,
  UPGRADE_OPTIONS,
  type UpgradeOptions,
} from '../../visitor/upgrade.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin } from './public-origin.js'

const CALL = 'upgradeSession(req, config, options)'

const OPTIONS = object<UpgradeOptions>(UPGRADE_OPTIONS)

const ignore = () => {}

/**
 * The session of a request that asks for a WebSocket, for `server.on('upgrade')`, `ws` and Socket.IO.
 * Pages of the public origin and of `origins` may open it. The session is checked until the socket of the request closes.
 *
 * It does not reject for anything that the other side sends, nor for a fault: an error in a handler of `upgrade` would end
 * the process.
 *
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 * @example
 * const { status, session, signal } = await upgradeSession(req, config)
 */
export async function upgradeSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options: UpgradeOptions = {},
): Promise<AcceptedUpgrade | RefusedUpgrade> {
  checkCallOptions(options, OPTIONS, CALL)
  const { socket } = req
  let logger: Log | null = null
  // Without a listener, an error of the socket would end the process while the session is read.
  socket.on('error', ignore)
  try {
    const engine = await engineOf(req, config, CALL)
    logger = engine.config.logger
    const origin = requireOrigin(req, engine.config)
    const onClose = (stop: () => void) => {
      if (socket.destroyed) stop()
      else socket.once('close', stop)
    }
    const context = new NodeRequestContext(req, origin)
    const open = new OpenConnectionContext(req, origin)
    return await judgeUpgrade({ config: engine.config, context, open, read: engine.readSession, onClose }, options)
  } catch (error) {
    return refusedByFault(error, req, logger)
  } finally {
    socket.off('error', ignore)
  }
}
