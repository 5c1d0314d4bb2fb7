import type { Session } from '../../sessions/session.js'
import type { ClientError } from '../errors.js'

/** What a page knows about its visitor. */
export interface SessionState {
  /** The session that the server gave last; null when nobody is signed in, or when it is not known yet. */
  readonly data: Session | null
  /** `loading` until the server has answered. A look-up that fails never means `unauthenticated`. */
  readonly status: 'loading' | 'authenticated' | 'unauthenticated'
  /** Why the last look-up failed; null when it did not. */
  readonly error: ClientError | null
  /** Whether the page is about to be left after a sign-out. */
  readonly isLeaving: boolean
}

/** The state in which a page begins. Undefined: nobody has asked the server yet. */
export const initialState = (session: Session | null | undefined): SessionState => ({
  ...known(session),
  error: null,
  isLeaving: false,
})

/** The state after the server's answer. */
export const answered = (state: SessionState, session: Session | null): SessionState => ({
  ...known(isSame(state.data, session) ? state.data : session),
  error: null,
  isLeaving: state.isLeaving,
})

/** The state after a look-up that failed: what was known is kept, unless the session has expired meanwhile. */
export function failed(state: SessionState, error: ClientError): SessionState {
  const kept = state.data !== null && Date.parse(state.data.expires) <= Date.now() ? known(undefined) : state
  return {
    ...state,
    data: kept.data,
    status: kept.status,
    error: state.error?.code === error.code ? state.error : error,
  }
}

/** The user of a session, as tabs compare it. */
export const userOf = (session: Session | null): string | null =>
  session === null ? null : JSON.stringify(session.user ?? {})

/**
 * Whether two tabs show the same user, as {@link userOf} gives it. The id counts only if both tabs know it: code of the
 * server knows it and may render it into a page, and the mount may leave it out.
 */
export function isSameUser(one: string | null, other: string | null): boolean {
  if (one === other || one === null || other === null) return one === other
  const [{ id, ...rest }, { id: otherId, ...others }] = [parseUser(one), parseUser(other)]
  return (id === undefined || otherId === undefined) && JSON.stringify(rest) === JSON.stringify(others)
}

/** The members of a user; none if the text of another tab is no object. */
function parseUser(text: string): { readonly id?: unknown } {
  try {
    return Object(JSON.parse(text)) as { readonly id?: unknown }
  } catch {
    return {}
  }
}

/** Whether two sessions say the same. Then components keep the old one, and are not rendered again. */
export const isSame = (one: Session | null | undefined, other: Session | null | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

function known(session: Session | null | undefined): Pick<SessionState, 'data' | 'status'> {
  if (session === undefined) return { data: null, status: 'loading' }
  return { data: session, status: session === null ? 'unauthenticated' : 'authenticated' }
}
