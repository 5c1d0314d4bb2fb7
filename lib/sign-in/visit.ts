import { Keep } from '../kernel/answer.js'
import { comesWithBearer } from '../kernel/bearer-token.js'
import { type BodyFields, NO_FIELDS } from '../kernel/body.js'
import { isSameOrigin } from '../kernel/csrf.js'
import { ownError } from '../kernel/errors.js'
import { isFromFrontEnd } from '../kernel/front-end-origins.js'
import type { Incoming } from '../kernel/incoming.js'
import type { LogSource } from '../kernel/logger.js'
import { noOrigin } from '../kernel/origin.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { RequestCookies } from '../kernel/request-cookies.js'
import { type ActionUrls, actionUrls } from '../pages/action-urls.js'
import { fieldsOfOtherWays } from '../pages/provider-forms.js'
import type { ResolvedProvider } from '../providers/provider.js'
import type { Principal, SessionReading } from '../sessions/session.js'
import type { SessionManager } from '../sessions/session-manager.js'
import type { Config } from './config.js'
import type { CookieSpecs } from './cookies.js'
import { findReturnTarget } from './find-return-target.js'
import type { Outcome } from './outcome.js'

/** Where Latchkey serves, as one visitor sees it. */
export interface Mount {
  /** Public origin, without a trailing slash; null if no trusted source has it. */
  readonly origin: string | null
  /** Path of the mount, without a trailing slash; empty at the root. */
  readonly basePath: string
}

/** One thing that Latchkey does over HTTP. */
export type Action = (visit: Visit) => Promise<Outcome> | Outcome

/** Stands for an unknown origin in the answer that refuses the request. */
const NO_ORIGIN = 'http://localhost'

/** A name of an account that was entered. */
export interface AccountName {
  /**
   * Who looks it up: the id of a provider with an `authorize` of the application, or empty for Latchkey, whose names are addresses.
   * The same name may be somebody else's at another one.
   */
  readonly space: string
  /** As it is looked up. Empty for nothing. */
  readonly name: string
  /** A text that stands for this account alone: the name, or where that is not what was entered, the id of the user. */
  readonly own: string
  /**
   * Where the application looks the name up, texts for all names that a database may take for the same. Somebody else may have a name
   * that differs in these, so nobody opens what is counted by them.
   */
  readonly like: readonly string[]
}

/**
 * One request to the mount. Sessions, flows and actions get it as it is. To make it throws nothing: an error is in `problem`,
 * because the answer to the error needs the request as well.
 */
export class Visit implements RequestContext {
  readonly config: Config
  readonly incoming: Incoming
  /** HEAD counts as GET. */
  readonly method: string
  /** Path of the target as it came, with the mount and without the query. */
  readonly path: string
  /** The query; every pair is well formed, and names may be repeated. */
  readonly query: URLSearchParams
  readonly cookies: RequestCookies
  readonly client: Incoming['client']
  /** The request as it came, which lines of the log are about. */
  readonly source: Incoming['source']
  readonly origin: string
  /** Public URL of the mount, without a trailing slash. */
  readonly mountUrl: string
  readonly specs: CookieSpecs
  readonly sessions: SessionManager
  /** What the answer carries, whatever happens. */
  readonly keep = new Keep()
  /**
   * Whether anybody may have caused the request, such as the author of a link that the visitor has followed. A sign-in that
   * begins then has no initiator, so it adds no account to the user who is signed in.
   */
  readonly mayBeForged: boolean
  /** Why the request cannot be served at all, or null. */
  readonly problem: Error | null
  /** What was entered to say whose account it is, as the limits know it; null for nothing. A sign-in that waits keeps it. */
  triedAs: AccountName | null = null
  readonly #basePath: string
  #fields = NO_FIELDS
  #provider: ResolvedProvider | null = null
  #urls: ActionUrls | undefined
  #returnTarget: Promise<string> | undefined

  constructor(incoming: Incoming, { origin, basePath }: Mount, config: Config, { mayBeForged = false } = {}) {
    this.config = config
    this.incoming = incoming
    this.method = incoming.method === 'HEAD' ? 'GET' : incoming.method
    this.path = incoming.path
    this.query = incoming.query.parameters
    this.cookies = incoming.cookies
    this.client = incoming.client
    this.source = incoming.source
    this.origin = origin ?? NO_ORIGIN
    this.mountUrl = this.origin + basePath
    this.mayBeForged = mayBeForged
    this.problem = origin === null ? noOrigin(config.origin) : incoming.query.problem
    this.#basePath = basePath
    const { specs, sessions } = config.schemeFor(this.origin)
    this.specs = specs
    this.sessions = sessions
  }

  readonly header = (name: string): string | undefined => this.incoming.header(name)

  clientAddress(): unknown {
    return this.incoming.clientAddress?.()
  }

  get urls(): ActionUrls {
    this.#urls ??= actionUrls(this.origin, this.#basePath, this.config.pages)
    return this.#urls
  }

  /**
   * Whether a page of `origins` sent the request. It may do what a page of the public origin may do, except to add a way in:
   * whoever takes such a page over must not be able to come back when it is repaired.
   */
  get fromFrontEnd(): boolean {
    return isFromFrontEnd(this.config.origins, this.header, this.origin)
  }

  /** Whether a page of a front end may have sent the request, though nothing says so: it can have browsers write `Origin: null`. */
  get mayBeFromFrontEnd(): boolean {
    // Browsers send `Origin` with every POST; a request without it is no page's.
    if (this.config.origins === null || this.header('origin') === undefined) return false
    return !isSameOrigin(this.header, this.origin)
  }

  /** Whether the client asks for a page, as a browser does that navigates or submits a form. Scripts get JSON. */
  get wantsPage(): boolean {
    return !comesWithBearer(this) && (this.header('accept')?.includes('text/html') ?? false)
  }

  /** The body; no fields with GET. */
  get fields(): BodyFields {
    return this.#fields
  }

  /** The provider whose id is in the path. */
  get provider(): ResolvedProvider | null {
    return this.#provider
  }

  /** Reads the body of a POST, without the fields of other ways to sign in than the provider that the route found. */
  async readBody(provider: ResolvedProvider | null): Promise<void> {
    this.#provider = provider
    if (this.method !== 'POST') return
    const fields = await this.incoming.fields()
    this.#fields = provider ? withoutOtherWays(fields, this.config, provider.id) : fields
  }

  /**
   * The address where the visitor goes after the sign-in. The first call runs the `redirect` callback of the application,
   * so the callback never runs for a target that is not used.
   *
   * @returns an http(s) URL; the public origin where the request names no usable target
   */
  returnTarget(): Promise<string> {
    this.#returnTarget ??= findReturnTarget(this, this.#fields)
    return this.#returnTarget
  }

  /** Leads the visitor to a checked address in place of the one that the request names. */
  leadTo(target: string): void {
    this.#returnTarget = Promise.resolve(target)
  }

  async readPrincipal(): Promise<Principal | null> {
    return this.config.ownSignIns.mark(this, await this.sessions.readPrincipal(this))
  }
}

/** Where a fact is told: a request that somebody has sent, with its language, and where it came from. */
export type Sent = Pick<Visit, 'config' | 'source' | 'origin' | 'header' | 'clientAddress'>

/**
 * What was done without a request of its user.
 *
 * @param language of the user, as a tag; undefined if it is not known
 */
export const withoutRequest = (config: Config, source?: LogSource, origin = '', language?: string): Sent => ({
  config,
  source,
  origin,
  header: (name) => (name === 'accept-language' ? language : undefined),
  clientAddress: () => undefined,
})

/**
 * The fields of a body without those of other ways to sign in. One form serves several ways, so a password that somebody has
 * typed comes along when they choose another way.
 */
function withoutOtherWays(fields: BodyFields, { providers }: Config, id: string): BodyFields {
  const others = fieldsOfOtherWays([...providers.values()], id)
  if (others.size === 0) return fields
  const kept = Object.entries(fields).filter(([name]) => !others.has(name))
  return Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(kept))
}

/**
 * The session of a visitor, for a page that says whether somebody is signed in. It may have been renewed, and the `jwt` callback
 * may give other claims, so the answer keeps the cookies of the reading. With `read`, there are none.
 *
 * @returns null if nobody can say, with the reason in the log; and with HEAD, which sends no cookies
 */
export async function lookAtSession(visit: Visit, how: 'renew' | 'read' = 'renew') {
  if (visit.incoming.method === 'HEAD') return null
  try {
    const reading = await visit.sessions[how](visit)
    if (how === 'renew') visit.keep.always('session', reading.cookies)
    return reading
  } catch (error) {
    visit.config.logger.error(ownError(error, UNREAD), visit.source)
    return null
  }
}

const UNREAD = 'The session of a visitor could not be read. The page goes on without it.'

/** What a page calls the person who is signed in: the address, else the name. Null if nobody is, or they have neither. */
export function signedInAs(reading: Pick<SessionReading, 'session'> | null): string | null {
  const { email, name } = reading?.session?.user ?? {}
  return [email, name].find((each): each is string => typeof each === 'string' && each !== '') ?? null
}
