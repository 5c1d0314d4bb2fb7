import type { AdapterSession } from '../adapters/adapter.js'
import type { AdapterCalls } from '../adapters/adapter-calls.js'
import { expiryOf, type SessionRows } from './session-rows.js'
import { storedForm } from './stored-token.js'

/** A stored session as it was read, and the token of its cookie. */
export interface PreviousRow {
  readonly token: string
  readonly row: AdapterSession
}

/**
 * Ends a stored session and begins another one in its place.
 *
 * @param replacement what the new row has if it is a new row: its token is the digest of a token that nobody has yet
 * @returns the expiry of the new row, milliseconds since the epoch; null if this call did not end the previous session.
 *   Then the caller deletes the new row
 * @throws {AdapterError} when the store fails; the new row may exist
 */
export type ReplaceRow = (previous: PreviousRow, replacement: AdapterSession) => Promise<{ expires: number } | null>

/**
 * The replacement in an adapter's store. With `changeSessionToken`, it is one step: the row gets another token, and keeps
 * everything else. A row that somebody has deleted cannot get one. Without the method, it takes several steps, in an
 * order in which a deletion wins.
 */
export function createRowReplacement({
  adapter,
  changesTokens,
  instance,
  rows,
}: {
  readonly adapter: AdapterCalls<'createSession' | 'changeSessionToken'>
  readonly changesTokens: boolean
  readonly instance: string | undefined
  readonly rows: SessionRows
}): ReplaceRow {
  const changeToken: ReplaceRow = async ({ token, row }, { sessionToken }) => {
    const stored = storedForm(token, instance)
    const changed = await adapter.changeSessionToken(row.sessionToken, sessionToken)
    if (changed) return { expires: expiryOf(changed).getTime() }
    if (row.sessionToken === stored) return null
    // It was a row of Auth.js. Another request may have put it under the digest of its token meanwhile.
    const changedLater = await adapter.changeSessionToken(stored, sessionToken)
    return changedLater ? { expires: expiryOf(changedLater).getTime() } : null
  }

  const createAndDelete: ReplaceRow = async ({ token }, replacement) => {
    // First: whoever deletes all sessions of the user from now on deletes this one as well.
    await adapter.createSession(replacement)
    // Some adapters do not say whether they deleted a row. So the row is read immediately before it is deleted.
    if ((await rows.find(token)) === null) return null
    const { isByThisCall } = await rows.end(token)
    return isByThisCall === false ? null : { expires: replacement.expires.getTime() }
  }

  return changesTokens ? changeToken : createAndDelete
}
