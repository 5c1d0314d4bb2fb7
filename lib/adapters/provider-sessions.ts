import type { ProviderSession, SessionDetails } from './adapter.js'

/** Whether a session began at this provider, as the session or as the subject that is asked for. */
export function beganAt(session: SessionDetails, { provider, subject, sid }: ProviderSession): boolean {
  if (subject === undefined && sid === undefined) return false
  const fits = (wanted: string | undefined, found: string | null | undefined) =>
    wanted === undefined || wanted === found
  return session.provider === provider && fits(subject, session.subject) && fits(sid, session.sid)
}
