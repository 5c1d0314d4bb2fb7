import { AuthError } from '../kernel/errors.js'
import type { SecurityEvent, SecurityEventType } from '../sign-in/security-event.js'

/** Keeps security events in memory. */
export interface TestSecurityEvents {
  /** For `events` of the configuration: `events: { security: events.handler }`. */
  readonly handler: (event: SecurityEvent) => void
  /** All events, the oldest first. */
  readonly list: readonly SecurityEvent[]
  /**
   * The first event of a type that `next` has not given yet. If there is none, it waits for it: failures are told after the answer.
   *
   * @param options `timeout`: for how many milliseconds it waits at most, 4000 by default
   * @throws {AuthError} if none came in this time; the message has the types that came
   */
  next(type: SecurityEventType, options?: { readonly timeout?: number }): Promise<SecurityEvent>
  /** Forgets all events. */
  clear(): void
}

/** Less than the five seconds after which Jest and Vitest give up without a reason. */
const TIMEOUT_MS = 4000
const LOOK_EVERY_MS = 5

/** Keeps the security events of a test. */
export function testSecurityEvents(): TestSecurityEvents {
  const list: SecurityEvent[] = []
  const given = new Set<SecurityEvent>()
  return {
    list,
    handler: (event) => void list.push(event),
    async next(type, { timeout = TIMEOUT_MS } = {}) {
      for (const end = performance.now() + timeout; ; await later()) {
        const found = list.find((event) => event.type === type && !given.has(event))
        if (found) {
          given.add(found)
          return found
        }
        if (performance.now() >= end) {
          const types = list.map((event) => event.type).join(', ')
          throw new AuthError(`No event "${type}" came in ${timeout} ms. These came: ${types || 'none'}.`)
        }
      }
    },
    clear: () => void list.splice(0),
  }
}

const later = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
