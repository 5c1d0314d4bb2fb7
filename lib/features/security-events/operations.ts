import { InvalidConfiguration } from '../../kernel/errors.js'
import { requireUserId } from '../../sessions/check-call-options.js'
import { type Config, LIST_SECURITY_EVENTS } from '../../sign-in/config.js'
import type { SecurityEvent } from '../../sign-in/security-event.js'

/** What is kept of a user, the newest first. */
export async function listSecurityEvents({ services }: Config, userId: string): Promise<readonly SecurityEvent[]> {
  const id = requireUserId(userId, 'listSecurityEvents()')
  const list = services.get(LIST_SECURITY_EVENTS)
  if (list === null) throw new InvalidConfiguration('No security events are kept here. Set `securityEvents`.')
  return list(id)
}
