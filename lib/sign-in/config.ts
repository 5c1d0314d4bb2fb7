import type { AdapterUser } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { CsrfTokens } from '../kernel/csrf.js'
import { InvalidConfiguration } from '../kernel/errors.js'
import type { FrontEndOrigins } from '../kernel/front-end-origins.js'
import type { Log, LogSource } from '../kernel/logger.js'
import type { OriginSettings } from '../kernel/origin.js'
import type { PagesOptions } from '../pages/action-urls.js'
import type { PageRenderer } from '../pages/renderer.js'
import type { ResolvedProvider } from '../providers/provider.js'
import type { SessionReading } from '../sessions/session.js'
import type { SessionManager } from '../sessions/session-manager.js'
import type { Users } from '../users/identity.js'
import type { Callbacks, EventCallbacks } from './callbacks.js'
import type { CookieSpecs } from './cookies.js'
import type { Notes } from './note.js'
import type { OwnSignIns } from './own-sign-in.js'
import type { SecurityEvent } from './security-event.js'
import type { TransactionCookies } from './transaction-cookies.js'

/**
 * What differs between a public origin with https and one without: the cookies, and what is derived from their names.
 */
export interface Scheme {
  readonly specs: CookieSpecs
  readonly sessions: SessionManager
}

/** The resolved configuration of one instance. It is complete, checked and frozen. */
export interface Config {
  readonly origin: OriginSettings
  /** Where the application has further pages; null if it names none. */
  readonly origins: FrontEndOrigins | null
  /** Public path of the mount: as configured, or from the path of `AUTH_URL`, or `/auth`. */
  readonly basePath: string
  /**
   * The beginning of public paths that a proxy cuts off before it passes a request on, such as `/app`; usually empty.
   * Requests of Express and Connect lack it, and all addresses that visitors see have it.
   */
  readonly strippedPrefix: string
  /** Whether `basePath` was given by the application or its environment. */
  readonly hasOwnBasePath: boolean
  /**
   * Gives the cookies and the sessions for a public origin: one set for https, one for http. They are made in
   * `schemes.ts`.
   */
  readonly schemeFor: (origin: string) => Scheme
  /** By id. The flow of each is a service: `flowOf`. */
  readonly providers: ReadonlyMap<string, ResolvedProvider>
  readonly callbacks: Required<Pick<Callbacks, 'redirect'>> & {
    /** Null if the application has none: then everybody may sign in. */
    readonly signIn: NonNullable<Callbacks['signIn']> | null
    /** Null if the application has none: then every signed-in user passes. */
    readonly authorized: NonNullable<Callbacks['authorized']> | null
  }
  /** Calls an event handler, and logs what it throws. Returns undefined if there is no such handler. */
  readonly emit: <Name extends keyof EventCallbacks>(
    name: Name,
    message: Parameters<NonNullable<EventCallbacks[Name]>>[0],
    source: LogSource | undefined,
  ) => Promise<void> | undefined
  /** Whether the application has a handler of the event `session`. */
  readonly emitsSessions: boolean
  /** Null if there is none. */
  readonly store: Store | null
  /** Finds, creates and links the users of identities. */
  readonly users: () => Promise<Users>
  /** The services of features, each under a key of its feature. */
  readonly services: Pick<Services, 'get'>
  /** The most seconds that may have passed since the sign-in of a user who changes how they sign in. */
  readonly recentAuthAge: number
  /** Whether the sessions of a user can be found and ended: those that are in tokens alone cannot. */
  readonly endsSessions: boolean
  /** Whether the mount gives browsers the ids of their session. */
  readonly exposesSessionIds: boolean
  /** Whether a disabled user cannot sign in. */
  readonly refusesDisabledUsers: boolean
  /** Whether a session may come in the header `Authorization`. */
  readonly acceptsBearer: boolean
  /** What the browser keeps of a sign-in or a sign-out that is under way. */
  readonly transactions: TransactionCookies
  /** What a failure tells the sign-in page. */
  readonly notes: Notes
  /** Which sessions began in the browser that shows them: only there may something be added to the user. */
  readonly ownSignIns: OwnSignIns
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  /** Whether everybody may become a user by signing in. */
  readonly isSignUpOpen: boolean
  /** Whether the sign-in page marks the provider that was used last in the browser. */
  readonly marksLastUsed: boolean
  readonly pages: Readonly<Partial<PagesOptions>>
  /** Null if a framework integration turned the protection off. */
  readonly csrf: CsrfTokens | null
  /** Equal for configurations with the same secret and `instance`. The secret cannot be found out from it. */
  readonly secretDigest: string
  /** For values that pages and URLs have, such as link requests; the first encrypts. At least one. */
  readonly secrets: readonly string[]
  readonly renderer: PageRenderer
  /** Whether the application runs outside of production, so that a developer may be looking at its pages. */
  readonly isDevelopment: boolean
  readonly logger: Log
  /** Seconds that one call of the adapter may take. */
  readonly storeTimeout: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The sessions where no request brings cookies: then they are the same for every origin. */
export const sessionsWithoutCookies = ({ schemeFor }: Pick<Config, 'schemeFor'>): SessionManager =>
  schemeFor('https://').sessions

/**
 * The public origin, for what no request asks for.
 *
 * @param why what needs it, as a sentence without its end
 * @throws {InvalidConfiguration} if only requests say where the application is
 */
export function originWithoutRequest({ origin }: Pick<Config, 'origin'>, why: string): string {
  if (origin.url) return origin.url.origin
  throw new InvalidConfiguration(
    `${why}, and without a request only the configuration says where the application is. Set \`url\` or AUTH_URL.`,
  )
}

/** Names a service of a feature in a configuration, which knows no more of it. */
export interface ServiceKey<Service> {
  readonly name: string
  readonly service?: Service
}

/** The page that asks whoever is signed in for a second factor; undefined if nothing asks for one. */
export const SECOND_FACTOR_PAGE: ServiceKey<FactorPage | undefined> = { name: 'second-factor-page' }

interface FactorPage {
  /** Below the mount. */
  readonly path: string
  /** Whether a user can enter something there. */
  canAnswer(userId: string): Promise<boolean>
  /** Whether somebody has two factors and no app, and has shown one: with that alone, a thief would change what the other one is. */
  lacksOne(config: Config, reading: SessionReading): Promise<boolean>
  /** Whether a user must have a second factor, and has no app: then one passkey stays. */
  needsPasskeys(userId: string): Promise<boolean>
}

/** Gives the security events that are kept for a user, the newest first. */
export type ListEvents = (userId: string) => Promise<readonly SecurityEvent[]>

/** Null if a configuration keeps none. */
export const LIST_SECURITY_EVENTS: ServiceKey<ListEvents | null> = { name: 'security-event-list' }

/** Gives the addresses that a user has confirmed beside their own. Null where none can be kept. */
export const LIST_OTHER_ADDRESSES: ServiceKey<((user: AdapterUser) => Promise<readonly string[]>) | null> = {
  name: 'other-address-list',
}

/** The services of the features of one configuration. */
export class Services {
  readonly #services = new Map<ServiceKey<unknown>, unknown>()

  set<Service>(key: ServiceKey<Service>, service: Service): this {
    this.#services.set(key, service)
    return this
  }

  get<Service>(key: ServiceKey<Service>): Service {
    return this.#services.get(key) as Service
  }
}
