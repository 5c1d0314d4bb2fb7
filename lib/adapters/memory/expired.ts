import type { DeleteExpiredOptions, ExpiredReport } from '../adapter.js'
import { createTally, MARGIN_MS } from '../expired.js'
import type { Tables } from './tables.js'

/** `deleteExpired` of the memory adapter. It takes one step. */
export function deleteExpiredRows(
  { sessions, verificationTokens, ownedKeys }: Tables,
  options?: DeleteExpiredOptions,
): ExpiredReport {
  const tally = createTally(options)
  if (tally.isStopped()) return tally.report()
  const before = Date.now() - MARGIN_MS
  const readable = [...sessions.values(), ...verificationTokens.values()].filter(({ expires }) => isDate(expires))
  tally.addUnreadable(sessions.size + verificationTokens.size - readable.length)
  const endedSessions = [...sessions.values()].filter(({ expires }) => isBefore(expires, before))
  const endedTokens = [...verificationTokens].filter(([, { expires }]) => isBefore(expires, before))
  if (!tally.dryRun) {
    for (const { sessionToken, userId } of endedSessions) {
      sessions.delete(sessionToken)
      ownedKeys.get(userId)?.sessions.delete(sessionToken)
    }
    for (const [key] of endedTokens) verificationTokens.delete(key)
  }
  tally.add({ sessions: endedSessions.length, verificationTokens: endedTokens.length })
  return tally.report()
}

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime())

const isBefore = (end: unknown, moment: number) => isDate(end) && end.getTime() < moment
