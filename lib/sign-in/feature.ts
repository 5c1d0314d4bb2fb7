import type { ProviderSession } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import type { CookieChange, DeclaredCookie } from '../kernel/cookies.js'
import { AuthError, type ErrorType, withoutDetails } from '../kernel/errors.js'
import type { Log, LogSource } from '../kernel/logger.js'
import type { OriginSettings } from '../kernel/origin.js'
import type { Banner, PageLink, SignInView } from '../pages/view.js'
import type { ProviderType, ResolvedProvider, User } from '../providers/provider.js'
import type { Authentication } from '../sessions/authentication.js'
import type { CurrentSession, SessionReading } from '../sessions/session.js'
import type { EndedAt, SignOutMessage } from '../sessions/session-manager.js'
import type { Holding, UserDependencies } from '../users/dependencies.js'
import type { Identity, SettledUser } from '../users/identity.js'
import type { KindMaker } from '../users/users.js'
import type { AccountChange } from './account-change.js'
import type { AccountPartMaker, AccountPartName } from './account-part.js'
import type { Config, ServiceKey, Services } from './config.js'
import type { CountedKind, Flow, Limits } from './flow.js'
import type { Outcome } from './outcome.js'
import type { TransactionCookies } from './transaction-cookies.js'
import type { TransactionKind } from './transaction-kinds.js'
import type { Action, Sent, Visit } from './visit.js'

/**
 * A capability in a folder of its own. `compose.ts` has the list of all. A feature attaches at these points and nowhere else;
 * the operations that it brings are named in `compose.ts`, too, for the types of a visitor.
 *
 * @typeParam Options the options of the configuration that it reads
 */
export interface Feature<Options = never> {
  /** What keeps it from working as configured, each with its fix. */
  readonly check?: (options: Options, providers: readonly ResolvedProvider[]) => readonly AuthError[]
  /** The ways to sign in that it brings. */
  readonly ways?: (parts: Parts<Options>) => Ways
  /** Loads the kinds of the identities that these ways find, if their users are stored. */
  readonly identities?: { readonly [Type in ProviderType]?: () => Promise<KindMaker> }
  /** Sets what its own parts find again in a configuration. */
  readonly services?: (parts: Parts<Options>, services: Services) => void
  /** Paths of the mount, by the segment after it. */
  readonly routes?: Readonly<Record<string, Route>>
  /** Scripts that pages load. Clients have no names for them. */
  readonly files?: readonly { readonly path: RegExp; readonly route: Route }[]
  /** What it keeps for users, and they sign in with. An export counts it; who confirms an address, or deletes a user, ends it. */
  readonly holds?: (config: Attached) => Holding
  /** What it keeps in encrypted cookies of the browser until the visitor comes back. */
  readonly transaction?: TransactionKind
  /** Its cookies beside those, by the keys that configure them. */
  readonly cookies?: Readonly<Record<string, DeclaredCookie>>
  /**
   * Asked before a proof is looked at, and before the body of the request is read.
   *
   * @throws {RequestRefused} when it must wait
   */
  readonly mayTry?: (visit: Visit, kind: CountedKind) => Promise<OnceRead>
  /**
   * Asked before a sign-in writes anything, after its user is settled, and once more when its session is stored and not yet sent.
   * Once the user is settled, the last to be asked may store what the sign-in has chosen: they are asked in the order of
   * `FEATURES` in `compose.ts`.
   *
   * @throws {AuthError} when nobody may come in
   */
  readonly mayEnter?: (visit: Visit, entering: Entering) => Promise<Proof | Question | null>
  /** Whether a configuration uses it. Absent: every one does. What is not used is in no list of the configuration. */
  readonly isUsed?: (config: Attached) => boolean
  /** In place of `isUsed`, where a configuration that does not use it serves none of its routes either. */
  readonly isServedBy?: (config: Attached) => boolean
  /** Hears of what is true already. It cannot refuse, and what it throws is logged. Cookies that it gives go into the answer. */
  readonly happened?: Listeners
  /** What a sign-out does beside the end of the session here. */
  readonly signOut?: SignOutElsewhere
  /** Its part of pages that are not its own. */
  readonly pages?: Slots
}

/**
 * Asked again once the body was read. Gives null to go on, or the answer in place of the action's.
 *
 * @throws {RequestRefused} when it must wait, or is refused
 */
export type OnceRead = () => Promise<Outcome | null>

/** Somebody who is about to sign in. */
export interface Entering {
  readonly identity: Identity
  /** Whether the user is stored, and their address confirmed if the sign-in does that. A question about somebody new waits for it. */
  readonly isSettled: boolean
  /** What they have shown in answer to a question; absent if none was asked. */
  readonly proof?: Proof | undefined
  /** Who it is, as stored; null for somebody new. */
  user(): Promise<(User & { id: string }) | null>
}

/** What else somebody has shown of who they are. */
export interface Proof {
  /** Whose it is: for anybody else it proves nothing. */
  readonly userId: string
  readonly authentication: Authentication
  /** Since when they have the second factor that they have shown, as it is stored; absent for what else they have shown. */
  readonly since?: number
}

/** What is asked before somebody may come in: a page under the mount, such as `second-factor`. */
export interface Question {
  readonly asks: string
  /** Whose answer counts. */
  readonly userId: string
  /** What must still be so when it is answered. */
  readonly state: string
}

/** Makes the flow of each provider, by its type. The code of a flow is loaded at its first use. */
export type Ways = { readonly [Type in ProviderType]?: (provider: ProviderOf<Type>) => Flow } & {
  /** For credentials that Latchkey checks itself. */
  readonly password?: (provider: ProviderOf<'credentials'>) => Flow
}

type ProviderOf<Type extends ProviderType, Each = ResolvedProvider> = Each extends { readonly type: infer Types }
  ? Type extends Types
    ? Each
    : never
  : never

/** What features make their ways and services of: parts of one configuration. */
export interface Parts<Options = unknown> {
  readonly options: Options
  readonly providers: readonly ResolvedProvider[]
  readonly origin: OriginSettings
  /** Has no method if there is no adapter. */
  readonly store: Store
  /** Where sessions can be found and ended; null if they are in tokens only. */
  readonly sessionStore: Store | null
  /** The sessions that began at a provider; null if they cannot be found. */
  readonly sessionsOfProvider: ((at: ProviderSession) => Promise<readonly { readonly expires: Date }[]>) | null
  /** For values in pages, mails and stores; the first encrypts. At least one. */
  readonly secrets: readonly string[]
  /** For sessions and what the browser keeps. At least one. */
  readonly tokenSecrets: readonly string[]
  readonly transactions: TransactionCookies
  /** Null if there is no adapter. */
  readonly users: UserDependencies | null
  readonly tokens: SessionTokens
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The tokens of sessions at providers. Without an adapter that keeps tokens there are none; the start has warned of that. */
export interface SessionTokens {
  /** Whether a sign-out revokes them. */
  readonly revokesAtSignOut: boolean
  /**
   * A session ends at its provider, and with it its tokens: those of another session take their place. Gives its ID token as a
   * hint for the provider; null if there is none, undefined if none is kept.
   */
  leaveSession(userId: string, at: ProviderSession, source: LogSource | undefined): Promise<string | null | undefined>
  /** Deletes the refresh tokens of a session at a provider that has ended. */
  dropRefreshTokens(userId: string, at: EndedAt): Promise<void>
}

/**
 * When a POST must have a CSRF token: always; if a form of Latchkey is sent to the callback of the provider; or never, because
 * no browser sends it.
 */
type CsrfRule = 'always' | 'by-provider' | 'never'

/** A path of the mount: what each method does, and what it needs. */
export interface Route {
  readonly GET?: Action
  readonly POST?: Action
  /**
   * Whether GET uses something up, changes or asks the store, or calls functions of the application. HEAD does nothing
   * then: its answer sets no cookie, so the result of a renewal or of the `jwt` callback would be lost, and a program that
   * checks links must not use one up. Absent: HEAD does the same as GET.
   */
  readonly getHasEffect?: true
  /** Whether a provider's id may follow in the path. */
  readonly takesProvider?: true
  /** For POST; `always` by default. */
  readonly csrf?: CsrfRule
  /** How tries are counted, by method; by the flow of the provider where a sign-in begins or ends. Absent: not at all. */
  readonly limit?: Limits | 'at-start' | 'at-finish'
  /**
   * The methods that a request with a bearer token may use. Absent: none, because a program begins no sign-in, links no
   * account and adds no passkey.
   */
  readonly bearer?: readonly ('GET' | 'POST')[]
  /**
   * The methods that are served while somebody acts as the user. Absent: no POST, because it may change what is theirs to decide; and
   * GET where it is not the page of a form of the mount.
   */
  readonly whileActing?: readonly ('GET' | 'POST')[]
  /** Whether a POST may have a parameter more than once in its query; no other request may. */
  readonly mayRepeatParameters?: true
  /** Routes of fixed paths below this one, by the segment that follows. */
  readonly below?: Readonly<Record<string, Route>>
  /** Whether a configuration serves this path. Absent: every one does that serves its feature. */
  readonly isServedBy?: (config: Config) => boolean
  /** How a failure is answered. Absent: a browser is led to the page that says it. */
  readonly fails?: FailureRule
}

/**
 * A route of a form with which people change what is theirs, or of a list of it: HEAD does nothing, what is sent counts as a request, a
 * page shows its own failure, and a form leads back. What the route says of these counts, of a failure beside them.
 */
export const formRoute = ({ fails, ...route }: Route): Route => ({
  getHasEffect: true,
  limit: { POST: 'requests' },
  ...route,
  fails: { asPage: true, leadsBack: true, ...fails },
})

/** How the failure of a route is answered. */
export interface FailureRule {
  /** Whether GET is a page of the mount: it shows the failure itself, and leads to no other page, which may fail as well. */
  readonly asPage?: true
  /**
   * Where a script gets JSON when all goes well: the status of a fault, which is JSON as well, and never looks like having nothing.
   * Browsers get a page all the same. Absent: a script is led on as they are.
   */
  readonly asJson?: 500 | 503
  /**
   * Whether its form is in pages for signed-in visitors, to which the page of the failure leads back. With `signed-in`, others send it as
   * well: whoever is signed in may have come in since it was shown, and so has an old token.
   */
  readonly leadsBack?: boolean | 'signed-in'
  /** Where a visitor goes on who has tried too often, if back is no way for them; none otherwise. */
  readonly waysOn?: (visit: Visit) => Promise<readonly PageLink[]>
  /** Whether a sign-in begins or ends here, which has failed then. */
  readonly isSignIn?: true
  /** Value of `code` on the sign-in page for a visitor who has to sign in again first. */
  readonly again?: string
}

/** Who has come in, or has added something, and as whom a provider, `authorize` or a passkey knows them. */
export interface Arrived extends SettledUser {
  readonly identity: Identity
  /** How they have proved who they are; absent if nothing is known beyond one factor, or something was added. */
  readonly authentication?: Authentication | undefined
}

/** A session that has ended. */
export interface Ended {
  readonly message: SignOutMessage
  /** Who ended it: its user here, a program its own token, or the provider where it began. */
  readonly kind: 'sign-out' | 'token-revoked' | 'session-ended'
  /** Whose it was; null if it could not be read. */
  readonly userId: string | null
  /** Where it began; undefined if that is not known. */
  readonly at: ProviderSession | undefined
  /** Id of the user as whom they acted until now; absent for nobody. */
  readonly actedAs?: string
}

/** What somebody has tried in vain. */
export interface Failure {
  readonly kind: 'sign-in-failed' | 'second-factor-failed' | 'limit-reached' | 'acting-refused'
  /** The type of the error; null for a wrong code. */
  readonly reason: ErrorType | null
  /** Whose account it was about; null where nobody knows. */
  readonly userId: string | null
  /** Id of a configured provider; absent for none. */
  readonly provider?: string
}

/** Hears of a fact. */
export type Listener<Where extends Sent, Fact> = (
  sent: Where,
  fact: Fact,
) => MaybePromise<readonly CookieChange[] | undefined>

/** What can be heard of. */
export interface Listeners {
  /** Somebody has shown a factor, and is not in yet, or was in already. */
  readonly proved?: Listener<Visit, undefined>
  /** Somebody has signed in. */
  readonly entered?: Listener<Visit, Arrived>
  /** Something was added to the user who is signed in, or was theirs already. */
  readonly added?: Listener<Visit, Arrived>
  /** Somebody has changed something of an account, beside adding a way to sign in: each kind of {@link AccountChange}. */
  readonly changed?: Listener<Sent, AccountChange>
  /** A session has ended: its user has signed out, here or at a provider. */
  readonly ended?: Listener<Sent, Ended>
  /** Somebody has tried in vain: each kind of {@link Failure}. No answer waits for it. */
  readonly failed?: Listener<Visit, Failure>
}

/**
 * Tells listeners of a fact, one after the other.
 *
 * @param mustAll whether it throws in the end what one of them threw
 */
export async function tell<Where extends Sent, Fact>(
  listeners: readonly (Listener<Where, Fact> | undefined)[],
  sent: Where,
  fact: Fact,
  mustAll = false,
): Promise<readonly CookieChange[]> {
  const cookies: CookieChange[] = []
  let unheard: unknown
  for (const listener of listeners) {
    try {
      const told = listener?.(sent, fact)
      cookies.push(...((told instanceof Promise ? await told : told) ?? []))
    } catch (error) {
      const fault = new AuthError('Not everything was told of a sign-in or a sign-out.', { err: withoutDetails(error) })
      sent.config.logger.error(fault, sent.source)
      unheard ??= error
    }
  }
  if (mustAll && unheard !== undefined) throw unheard
  return cookies
}

/** A sign-out where the session began, as well as here. */
export interface SignOutElsewhere {
  /** What the sign-out page offers; null for nothing. */
  offer(visit: Visit, reading: SessionReading | null): { readonly name: string; readonly isAsked: boolean } | null
  /**
   * Call this while there is still a session. It gives what leads the visitor on once the session here has ended; null for nowhere
   * else.
   */
  leave(
    visit: Visit,
  ): Promise<((returnTarget: string) => Promise<Extract<Outcome, { kind: 'redirect' }> | null>) | null>
  /** GET signout with `endSession` in its query: goes on to the provider; null if no sign-out of this browser leads there. */
  goOn(visit: Visit): Promise<Outcome | null>
  /** GET signout/{provider}: the visitor comes back. */
  comeBack(visit: Visit): Promise<Outcome>
}

/** What a feature shows on pages that are not its own. */
export interface Slots {
  /** Where the sign-in page leads people who have forgotten something, and those who are new; an address each. */
  readonly links?: (visit: Visit) => NonNullable<SignInView['links']>
  /** The address that the sign-in page fills in; undefined for none. */
  readonly address?: (visit: Visit) => Promise<string | undefined>
  /** The address of the invitation that leads there; undefined for none, and null for one that does not count any more. */
  readonly invited?: (visit: Visit) => Promise<string | null | undefined>
  /** Its parts of the account page, by the names that the application knows them by. */
  readonly account?: AccountParts
  /** What stands above every page, the mount's and that of a guard, while there is such a session; null for nothing. */
  readonly banner?: (session: CurrentSession, mountUrl: string) => Promise<Banner | null>
  /** The page about an error that the feature knows more of; null for every other error. */
  readonly error?: (visit: Visit, error: string | undefined) => Promise<Outcome | null>
}

/** Makes parts of the account page for somebody who is signed in. Null if the configuration keeps nothing of the kind. */
export type AccountParts = Readonly<Partial<Record<AccountPartName, AccountPartMaker>>>

/** The points of all features that a configuration uses. */
export interface Points extends Required<Listened> {
  readonly holds: readonly Holding[]
  /** Null if nothing leads elsewhere. */
  readonly signOut: SignOutElsewhere | null
  readonly pages: readonly Slots[]
  /** Null if nothing stands above pages. */
  readonly banner: Slots['banner'] | null
  readonly mayEnter: readonly NonNullable<Feature['mayEnter']>[]
  /** Null if nothing is counted. */
  readonly mayTry: Feature['mayTry'] | null
}

type Listened = { readonly [Fact in keyof Listeners]: readonly NonNullable<Listeners[Fact]>[] }

/** What features see of a configuration while it is made. */
export type Attached = Pick<Config, 'providers' | 'services'>

/** Collects what the features of a configuration attach. */
export function pointsOf(features: readonly Feature[], config: Attached): Points {
  const used = features.filter(({ isServedBy, isUsed = isServedBy }) => isUsed?.(config) ?? true)
  const all = <Part>(part: (feature: Feature) => Part | undefined): readonly Part[] =>
    used.flatMap((feature) => part(feature) ?? [])
  return Object.freeze({
    proved: all(({ happened }) => happened?.proved),
    entered: all(({ happened }) => happened?.entered),
    added: all(({ happened }) => happened?.added),
    changed: all(({ happened }) => happened?.changed),
    ended: all(({ happened }) => happened?.ended),
    failed: all(({ happened }) => happened?.failed),
    holds: all(({ holds }) => holds?.(config)),
    signOut: all(({ signOut }) => signOut)[0] ?? null,
    pages: all(({ pages }) => pages),
    banner: all(({ pages }) => pages?.banner)[0] ?? null,
    mayEnter: all(({ mayEnter }) => mayEnter),
    mayTry: all(({ mayTry }) => mayTry)[0] ?? null,
  })
}

export const POINTS: ServiceKey<Points> = { name: 'points' }

/** What the features of a configuration attach. */
export const pointsIn = ({ services }: Pick<Config, 'services'>): Points => services.get(POINTS)
