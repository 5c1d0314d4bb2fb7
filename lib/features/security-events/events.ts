import { settledWithin } from '../../kernel/awaitable.js'
import { describeUserAgent } from '../../sessions/session-list.js'
import { keptClientDetails } from '../../sessions/session-use.js'
import type { Parts } from '../../sign-in/feature.js'
import type { SecurityEvent } from '../../sign-in/security-event.js'
import type { Sent } from '../../sign-in/visit.js'
import { createStoredEvents } from './stored-events.js'

/** What is noted: the rest of an event is found out of its request. */
export type NotedEvent = Pick<SecurityEvent, 'type' | 'userId'> &
  Partial<Pick<SecurityEvent, 'actorId' | 'provider' | 'count' | 'reason' | 'amr' | 'factors'>>

/** The person waits for the answer of their request. */
const WAIT_MS = 2000

/** The owner of an account learns that an administrator has acted as them, and not who, or from where. */
const forOwner = (event: SecurityEvent): SecurityEvent =>
  event.actorId === null ? event : { ...event, actorId: null, browser: null, system: null, network: null }

/** Tells the application of security events, and keeps them. */
export type SecurityEvents = ReturnType<typeof createSecurityEvents>

/** @param settings `maxAge` in seconds; null to keep none */
export function createSecurityEvents(
  { devices, maxAge }: { readonly devices: boolean; readonly maxAge: number | null },
  parts: Pick<Parts, 'store' | 'secrets' | 'now' | 'logger'>,
) {
  const detailsOf = keptClientDetails(devices)
  const stored = maxAge === null ? null : createStoredEvents(maxAge, parts)

  const clientOf = async (sent: Sent) => {
    const { userAgent = null, network = null } = detailsOf(sent)
    return { ...(await describeUserAgent(userAgent, parts.logger)), network }
  }

  return {
    async note(sent: Sent, noted: readonly NotedEvent[]): Promise<void> {
      if (noted.length === 0) return
      const client = await clientOf(sent)
      const at = new Date(parts.now()).toISOString()
      const events = noted.map(
        ({ type, userId, actorId = null, provider = null, count = 1, reason = null, amr = [], factors = null }) =>
          Object.freeze<SecurityEvent>({ type, at, userId, actorId, provider, count, reason, amr, factors, ...client }),
      )
      for (const event of events) {
        const telling = sent.config.emit('security', event, sent.source)
        // Nobody is kept out by a log that does not answer.
        if (telling) await settledWithin(telling, WAIT_MS)
      }
      await stored?.add(events.map(forOwner))
    },
    list: async (userId: string): Promise<readonly SecurityEvent[]> => (await stored?.list(userId)) ?? [],
  }
}
