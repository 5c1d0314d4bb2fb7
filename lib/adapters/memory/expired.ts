import type { DeleteExpiredOptions, ExpiredReport } from '../adapter.js'
import { MARGIN_MS, startPruning } from '../expired.js'
import type { Tables } from './tables.js'

/** `deleteExpired` of the memory adapter. It takes one step. */
export function deleteExpiredRows(
  { sessions, tokenSessions, tokenSessionIds, verificationTokens, ownedKeys }: Tables,
  options?: DeleteExpiredOptions,
): ExpiredReport {
  const pruning = startPruning(options)
  if (pruning.isStopped()) return pruning.report()
  const before = Date.now() - MARGIN_MS
  const readable = [...sessions.values(), ...tokenSessions.values(), ...verificationTokens.values()].filter(
    ({ expires }) => isDate(expires),
  )
  pruning.addUnreadable(sessions.size + tokenSessions.size + verificationTokens.size - readable.length)
  const endedSessions = [...sessions.values()].filter(({ expires }) => isBefore(expires, before))
  const endedTokenSessions = [...tokenSessions.values()].filter(({ expires }) => isBefore(expires, before))
  const endedTokens = [...verificationTokens].filter(([, { expires }]) => isBefore(expires, before))
  if (!pruning.dryRun) {
    for (const { sessionToken, userId } of endedSessions) {
      sessions.delete(sessionToken)
      ownedKeys.get(userId)?.sessions.delete(sessionToken)
    }
    for (const { id, userId } of endedTokenSessions) {
      tokenSessions.delete(id)
      const ids = tokenSessionIds.get(userId)
      ids?.delete(id)
      if (ids?.size === 0) tokenSessionIds.delete(userId)
    }
    for (const [key] of endedTokens) verificationTokens.delete(key)
  }
  pruning.add({
    sessions: endedSessions.length + endedTokenSessions.length,
    verificationTokens: endedTokens.length,
  })
  return pruning.report()
}

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime())

const isBefore = (end: unknown, moment: number) => isDate(end) && end.getTime() < moment
