import { isProductionProcess, isTestProcess } from '../config/env.js'
import type { ConfigSource } from '../config/options.js'
import { isFirstTime, placeInApplication } from '../logger.js'
import { loggerOf } from './logger-of.js'
import type { MiddlewareRequest } from './middleware.js'

/** What is known of a guard when it is gone. It may not refer to the guard, which would then never be collected. */
interface MadeGuard {
  /** Where the application made it: file, line and column; null if the stack does not say it. */
  readonly place: string | null
  readonly config: ConfigSource<MiddlewareRequest>
}

let unused: FinalizationRegistry<MadeGuard> | null = null

/**
 * Logs a warning, once for each place, if a guard is garbage-collected before it ran: it was made in a handler and did
 * nothing, so everybody got in. A route keeps its guard, so that it is not collected. Nothing is watched in production,
 * which should not pay for this, and in tests, which drop whole applications with guards that no test needed.
 *
 * @returns a function to call when the guard runs; null if the guard is not watched
 */
export function watchForUse(guard: object, config: ConfigSource<MiddlewareRequest>): (() => void) | null {
  if (isProductionProcess() || isTestProcess()) return null
  unused ??= new FinalizationRegistry(warn)
  const token = {}
  unused.register(guard, { place: placeInApplication(), config }, token)
  return () => void unused?.unregister(token)
}

function warn({ place, config }: MadeGuard): void {
  if (!isFirstTime(watchForUse, String(place))) return
  loggerOf(config).warn('unused-guard', {
    ...(place !== null && { place }),
    fix: 'If a handler made it, nothing was guarded. Put the guard before the handler: app.get(path, requireAuth(config), handler).',
  })
}
