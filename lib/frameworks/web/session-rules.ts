import { object } from '../../kernel/object-shape.js'
import { call, listOf, type Shape } from '../../kernel/shape.js'
import type { Awaitable } from '../../providers/provider.js'
import { scopeShape } from '../../sessions/scope.js'
import type { CurrentSession } from '../../sessions/session.js'

/**
 * What a guard demands of the session of somebody who is signed in.
 *
 * @typeParam Request the request as the framework has it
 */
export interface SessionRules<Request> {
  /**
   * Whether this session may do what the request asks for. Only `true` lets it pass. It is called with each request that
   * would pass otherwise. If it throws, the request is answered with 503.
   *
   * Declared as a method, so that an application may declare the request of its framework as the type of `request`.
   */
  allow?(session: CurrentSession, request: Request): Awaitable<boolean>
  /**
   * One role, or several of which one is enough. The roles of a session are the text `session.user.role` and the texts in
   * the list `session.user.roles`. The `session` callback puts them there.
   */
  roles?: string | readonly string[]
  /**
   * What a session with a scope must be for: one word or several, with one blank between them (RFC 6749 §3.3). It must have
   * all of them. Without this option, no such session passes. Sessions without a scope, such as those of browsers, are not
   * restricted.
   */
  scope?: string
}

/** What a session lacks that has none of the roles that a guard asks for, for the log. */
export class MissingRole {
  /** The roles of which one is enough. */
  readonly wanted: readonly string[]
  /** The roles that the session has. */
  readonly found: readonly string[]
  /** Whether the session has roles at all, perhaps none: an application that forgot to put them there lets nobody pass. */
  readonly isShown: boolean

  constructor(wanted: readonly string[], session: CurrentSession) {
    this.wanted = wanted
    this.found = rolesOf(session)
    this.isShown = showsRoles(session)
  }
}

/** What the rules beside `scope` say: true if a session fulfils them, or anything else if it does not. */
export type RulesAnswer = Awaitable<boolean | undefined | MissingRole>

/** Whether a session fulfils the rules beside `scope`. */
export type CheckRules<Request> = (session: CurrentSession, request: Request) => RulesAnswer

const role: Shape<string> = {
  expected: 'the name of a role',
  fits: (value) => typeof value === 'string' && value.trim() !== '',
}

const severalRoles = listOf(role, 'roles')

/** A missing rule would open the guard, so a rule that is present and undefined is refused. */
const roles: Shape<string | string[]> = {
  expected: 'a role, or a list of at least one role',
  fits: (value) => role.fits(value) || (Array.isArray(value) && value.length > 0),
  inside: (value, path) => (Array.isArray(value) ? (severalRoles.inside?.(value, path) ?? []) : []),
  remedy: (value) => (Array.isArray(value) ? ' The list is empty.' : ''),
  isLimit: true,
}

/** The shapes of {@link SessionRules}. */
export const SESSION_RULES = { allow: { ...call, isLimit: true }, roles, scope: scopeShape } as const

/** How a session is read that a guard has not judged. */
export type SessionRead = Pick<SessionRules<never>, 'scope'>

export const SESSION_READ = object<SessionRead>({ scope: scopeShape })

/** The check of some rules; null if there are none. `scope` is not among them: it decides which session there is. */
export function checkOfRules<Request>(rules: SessionRules<Request>): CheckRules<Request> | null {
  const { allow, roles } = rules
  if (allow === undefined && roles === undefined) return null
  const wanted = roles === undefined ? null : new Set(typeof roles === 'string' ? [roles] : roles)
  return (session, request) => {
    if (wanted !== null) {
      if (!rolesOf(session).some((role) => wanted.has(role))) return new MissingRole([...wanted], session)
    }
    return allow === undefined ? true : allow(session, request)
  }
}

/** The members of a user that have roles, as the application gives them. */
const membersOf = ({ user }: CurrentSession) => (user ?? {}) as { readonly role?: unknown; readonly roles?: unknown }

const isText = (value: unknown): value is string => typeof value === 'string'

/** Null and an empty list say that somebody has no role. A text in `roles`, a list in `role` and objects say nothing. */
function showsRoles(session: CurrentSession): boolean {
  const { role, roles } = membersOf(session)
  return role === null || roles === null || isText(role) || (Array.isArray(roles) && roles.every(isText))
}

/** The roles of a session. Only texts count, so that a row with other values gives no role. */
function rolesOf(session: CurrentSession): readonly string[] {
  const { role, roles } = membersOf(session)
  return [role, ...(Array.isArray(roles) ? (roles as readonly unknown[]) : [])].filter(isText)
}
