import { losesRevocations } from '../adapters/memory/in-memory.js'
import type { LoggerInstance } from '../logger.js'
import type { AuthConfig } from './options.js'

/** Logs warnings if sessions may live longer, or shorter, than the application expects. */
export function warnAboutSessions(
  { session }: AuthConfig,
  { isProduction }: { readonly isProduction: boolean },
  logger: LoggerInstance,
): void {
  if (isProduction && session?.revocation && losesRevocations(session.revocation.store)) {
    const fix =
      'After a restart of the process, revoked sessions count again, and other processes never learn of a revocation. Use redisAdapter() or sqlAdapter() as `session.revocation.store`.'
    logger.warn('memory-revocations', { fix })
  }
}
