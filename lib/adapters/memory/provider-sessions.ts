import type { ProviderSession, SessionDetails } from '../adapter.js'

/** Whether a session began at this provider, as the session or as the subject that is asked for. */
export function beganAt(session: SessionDetails, { provider, subject, sid }: ProviderSession): boolean {
  if (subject === undefined && sid === undefined) return false
  const fits = (wanted: string | undefined, found: string | null | undefined) =>
    wanted === undefined || wanted === found
  return session.provider === provider && fits(subject, session.subject) && fits(sid, session.sid)
}

/** The keys of the rows that fit. A demo has few sessions, so all of them are looked at. */
export const keysOf = <Row>(rows: ReadonlyMap<string, Row>, fits: (row: Row) => boolean): Set<string> =>
  new Set([...rows].filter(([, row]) => fits(row)).map(([key]) => key))
