import type { Log } from '../../logger.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { Outage, OutageState } from './last-good.js'

/** What the operator should do; null when the outage has ended. */
const FIXES: Record<OutageState, string | null> = {
  begun:
    'Sign-ins continue with the last copy of the document. Find out on this machine why the document cannot be fetched: the provider may be down, or a firewall may block it.',
  over: null,
  'given-up':
    'Sign-ins with this provider fail until the document can be fetched and is of the configured issuer. Fetch it from this machine.',
}

/**
 * Warns of outages of one kind of document: when an outage begins, when the copy is given up, and when the outage ends.
 */
export const warnOfOutage =
  (logger: Log, document: 'metadata' | 'keys') =>
  ({ id }: ResolvedOAuthProvider, { state, since, copy, reason }: Outage): void =>
    logger.warn('provider-outage', {
      provider: id,
      document,
      state,
      since: textOf(since),
      ...(copy && { fetchedAt: textOf(copy.fetchedAt), usedUntil: textOf(copy.usedUntil) }),
      reason,
      ...(FIXES[state] !== null && { fix: FIXES[state] }),
    })

const textOf = (time: number) => new Date(time).toISOString()
