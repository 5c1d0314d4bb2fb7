import { parseObject, textOf } from '../kernel/json-object.js'

/** How somebody has proved who they are, where more is known than that it was one factor. */
export interface Authentication {
  /**
   * 2 if two factors were shown: to Latchkey, or to a provider whose word counts. 1 if the second one was not asked for, because the
   * person trusts the browser: then they must show it for what needs a recent sign-in.
   */
  readonly factors?: 1 | 2
  /** How, in the words of RFC 8176 ("pwd", "otp", "hwk"), at most 10. */
  readonly amr?: readonly string[]
  /** What the provider calls the strength of the sign-in (OpenID Connect Core §2). */
  readonly acr?: string
  /** Who acts as the user: nobody else can use such a session, and it proves nothing of who the user is. */
  readonly act?: ActingUser
}

/** The provider at which the session of somebody begins who acts as a user, as the list of sessions has it. */
export const ACT_AS = 'act-as'

/** Somebody who acts as another user (RFC 8693 §4.1), in a session of their own. */
export interface ActingUser {
  /** Id of the user who acts. */
  readonly sub: string
  /** Public id of their own session: the other one ends with it. */
  readonly session: string
  /** Random: of several times, only the last one counts. */
  readonly id: string
}

const MAX_METHODS = 10

/** Tokens have them in a cookie, so they must be short. */
const isMethod = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value)

/** Whether a value can be an `acr`: a request names several with blanks between them. */
export const isAcr = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)

/**
 * What a session, or an ID token, says about a sign-in; undefined if that is nothing. A member of another type or length than
 * it may have is left out.
 */
export function authenticationIn(value: Partial<Record<keyof Authentication, unknown>>): Authentication | undefined {
  const { factors, amr, acr, act } = value
  const methods = Array.isArray(amr) && amr.every(isMethod) ? [...new Set(amr)].slice(0, MAX_METHODS) : []
  const found: Authentication = {
    ...((factors === 1 || factors === 2) && { factors }),
    ...(methods.length > 0 && { amr: methods }),
    ...(isAcr(acr) && { acr }),
    ...(act !== undefined && { act: actingUserIn(act) }),
  }
  return Object.keys(found).length === 0 ? undefined : found
}

/** Fails closed: what names nobody is a session that nobody can use. */
function actingUserIn(value: unknown): ActingUser {
  const { sub, session, id } = (value ?? {}) as Partial<Record<keyof ActingUser, unknown>>
  return { sub: textOf(sub), session: textOf(session), id: textOf(id) }
}

/** The same, of the column of a stored session. */
export function authenticationInText(text: string | null | undefined): Authentication | undefined {
  const members = text ? parseObject(text) : null
  return members === null ? undefined : authenticationIn(members)
}

/** Who acts, as the `session` callback is told. */
export const actShown = ({ act }: Authentication): { readonly act?: { readonly sub: string } } =>
  act ? { act: { sub: act.sub } } : {}

/** What both say together. */
export function joined(
  earlier: Authentication | undefined,
  later: Authentication | undefined,
): Authentication | undefined {
  const methods = new Set([...(earlier?.amr ?? []), ...(later?.amr ?? [])])
  return authenticationIn({ ...earlier, ...later, amr: [...methods].slice(-MAX_METHODS) })
}
