import type { AuthConfig, ConfigFunction } from '../../config/options.js'
import { AuthError } from '../../kernel/errors.js'
import { checkSource } from '../../sessions/check-call-options.js'
import { eventRequest, withoutForwarded } from '../web/headers.js'
import { prepareWebAuth, type SignInRequest, type WebAuth, type WebRequest } from '../web/index.js'
import {
  type AuthLocals,
  type EventSession,
  factsOf,
  type GivenOptions,
  type HandleInput,
  isBuilding,
  readOptions,
  readSignInForm,
  type SvelteKitEvent,
  type SvelteKitHandle,
  startEventSession,
} from './event.js'

/** What an action returns when its form has the field `redirect` with the value `false`. */
export interface ActionAnswer {
  /** Where to go. */
  readonly url: string
}

/** A form action, as SvelteKit's `Action`. */
export type SvelteKitAction = (event: SvelteKitEvent) => Promise<ActionAnswer>

/** Authentication for one SvelteKit application. */
export interface SvelteKitAuthResult {
  /** Serves the mount, and gives `event.locals` the functions of {@link AuthLocals}. */
  readonly handle: SvelteKitHandle
  /**
   * Lets only those requests pass that the `authorized` callback lets pass, by default those of people who are signed in.
   * It must come after `handle`: `sequence(handle, guard)`.
   */
  readonly guard: SvelteKitHandle
  /**
   * Form action that signs in. Fields: `providerId`, `redirectTo`, `redirect`, `authorizationParams-…`, and those of the
   * provider. It throws as `signIn` of {@link AuthLocals}.
   */
  readonly signIn: SvelteKitAction
  /** Form action that signs out. Fields: `redirectTo`, `redirect`, `endSession`. */
  readonly signOut: SvelteKitAction
  /** For a `+server.ts` at `auth/[...rest]`, in an application that has no `handle` of Latchkey. */
  GET(event: SvelteKitEvent): Promise<Response>
  /** As {@link GET}. */
  POST(event: SvelteKitEvent): Promise<Response>
}

/** What stops a request and redirects it: `redirect` of the application's own SvelteKit, which knows its class again. */
type Redirect = (status: 302, location: string, options: { readonly external: true }) => never

export type SvelteKitSource<Event> = AuthConfig | ConfigFunction<Event>

/** Makes `SvelteKitAuth`. */
export const svelteKitAuthWith =
  (redirect: Redirect) =>
  <Event extends SvelteKitEvent = SvelteKitEvent>(source: SvelteKitSource<Event>): SvelteKitAuthResult => {
    checkSource(source, 'SvelteKitAuth(config)')
    const prepared = prepareLater(source as SvelteKitSource<SvelteKitEvent>)
    // SvelteKit copies events for its hooks and actions; the request stays the same.
    const eventSessions = new WeakMap<Request, EventSession>()
    const eventSessionOf = async (event: SvelteKitEvent) => {
      const known = eventSessions.get(event.request)
      if (known) return known
      if (isBuilding(event)) throw new AuthError(WHILE_BUILDING)
      return start(event, await prepared(event), false)
    }

    function start(event: SvelteKitEvent, auth: WebAuth, isHandled: boolean): EventSession {
      const started = startEventSession(event, auth, isHandled)
      eventSessions.set(event.request, started)
      return started
    }

    /** External targets were judged by the `redirect` callback, or are providers. */
    const redirectOrReturn = (url: string, { redirects }: GivenOptions): string =>
      redirects ? redirect(302, url, EXTERNAL) : url

    async function signIn(event: SvelteKitEvent, given: GivenOptions & SignInRequest): Promise<string> {
      const session = await eventSessionOf(event)
      return redirectOrReturn((await session.change((auth) => auth.signIn(given))).url, given)
    }

    async function signOut(event: SvelteKitEvent, given: GivenOptions): Promise<string> {
      const session = await eventSessionOf(event)
      const { endSession } = given.fields
      const isWanted = endSession === true || endSession === 'true'
      return redirectOrReturn((await session.change((auth) => auth.signOut(given.redirectTo, isWanted))).url, given)
    }

    const localsOf = (event: SvelteKitEvent): AuthLocals => {
      const auth = async () => (isBuilding(event) ? null : (await eventSessionOf(event)).read())
      return {
        auth,
        getSession: auth,
        updateSession: async (data) =>
          (await (await eventSessionOf(event)).change((request) => request.updateSession(data))).session,
        visitor: async () => (await eventSessionOf(event)).visitor(),
        signIn: async (provider, options, authorizationParams) =>
          (await signIn(event, { ...readOptions(options), provider, authorizationParams })) as never,
        signOut: async (options) => (await signOut(event, readOptions(options as SignOutOptions))) as never,
      }
    }

    async function handle<Own extends SvelteKitEvent>({ event, resolve }: HandleInput<Own>): Promise<Response> {
      Object.assign(event.locals, localsOf(event))
      if (isBuilding(event)) {
        // Links to the mount lead to no page that can be prerendered; SvelteKit goes on after this status.
        return isMountOf(source, event.url.pathname) ? new Response(null, { status: 204 }) : resolve(event)
      }
      const auth = await prepared(event)
      if (auth.isServed(event.url.pathname)) return serve(event, auth)
      const session = start(event, auth, true)
      try {
        return await session.finish(await resolve(event))
      } catch (error) {
        session.abandon()
        throw error
      }
    }

    async function guard<Own extends SvelteKitEvent>({ event, resolve }: HandleInput<Own>): Promise<Response> {
      if (isBuilding(event)) return guardPrerendered(source as SvelteKitSource<Own>, event, await resolve(event))
      const session = await eventSessionOf(event)
      // What a request of `event.fetch` sets may never reach the browser; the guard of the page itself has renewed.
      const options = { renews: !event.isSubRequest }
      const { response } = await session.change((auth) => auth.guard(options), guardedRequest(event))
      if (response === null) return resolve(event)
      const location = response.headers.get('location')
      if (location !== null && isEnhancedForm(event)) redirect(302, location, EXTERNAL)
      return response
    }

    const endpoint = async (event: SvelteKitEvent) => serve(event, await prepared(event))

    return {
      handle,
      guard,
      async signIn(event) {
        return { url: await signIn(event, readSignInForm(await event.request.formData())) }
      },
      async signOut(event) {
        return { url: await signOut(event, readOptions(await event.request.formData())) }
      },
      GET: endpoint,
      POST: endpoint,
    }
  }

type SignOutOptions = Parameters<typeof readOptions>[0]

const EXTERNAL = { external: true } as const

const DEFAULTS = { call: 'SvelteKitAuth(config)', foldsCase: false } as const

/**
 * The configuration is resolved when the first request comes: SvelteKit loads the hooks when it builds the application,
 * and then there may be no secret.
 */
function prepareLater<Event>(source: SvelteKitSource<Event>) {
  let prepared: ReturnType<typeof prepareWebAuth<Event>> | undefined
  return async (event: Event): Promise<WebAuth> => {
    prepared ??= prepareWebAuth(source, DEFAULTS)
    return prepared(event)
  }
}

const serve = (event: SvelteKitEvent, auth: WebAuth): Promise<Response> => {
  const { protocol, host, clientAddress } = factsOf(event)
  const request = new Request(event.request, { headers: withoutForwarded(event.request) })
  return auth.serve(request, { protocol, host, clientAddress })
}

/** Whether a path is that of the mount, as far as it is known while SvelteKit builds the application. */
function isMountOf(source: object, path: string): boolean {
  const mount = 'basePath' in source && typeof source.basePath === 'string' ? source.basePath : '/auth'
  return path.startsWith(`${mount.replace(/\/+$/, '')}/`)
}

/**
 * Lets SvelteKit prerender only what everybody may see, because no guard stands in front of a file.
 *
 * @throws {AuthError} for a page that the `authorized` callback refuses to people who are not signed in
 */
async function guardPrerendered<Event extends SvelteKitEvent>(
  source: SvelteKitSource<Event>,
  event: Event,
  response: Response,
): Promise<Response> {
  // SvelteKit follows every link, and answers 204 for a page that is not prerendered.
  if (response.status === 204 || !response.ok) return response
  const { callbacks } = typeof source === 'function' ? await source(event) : source
  if ((await callbacks?.authorized?.({ auth: null, request: event.request })) === true) return response
  throw new AuthError(`${event.url.pathname} ${PRERENDERED}`)
}

/**
 * The request that the guard judges. `event.url` is the address of the page for a request of its data, too. For a remote
 * function it is whatever the browser says, so the address of the function itself is judged.
 */
function guardedRequest(event: SvelteKitEvent): WebRequest {
  const judged = eventRequest(event.request, event.isRemoteRequest ? event.request.url : event.url.href)
  // A person waits for the page whose data, or whose action, the script of SvelteKit asks for.
  if (event.isDataRequest || isEnhancedForm(event)) judged.headers.set('sec-fetch-mode', 'navigate')
  return judged
}

/** Whether the script of SvelteKit posts a form in place of the browser. */
const isEnhancedForm = ({ request }: SvelteKitEvent) =>
  request.method === 'POST' && request.headers.get('x-sveltekit-action') === 'true'

const WHILE_BUILDING = 'Nobody can sign in or out while SvelteKit prerenders a page.'

const PRERENDERED =
  'is prerendered: it becomes a public file, which no guard protects. Set `export const prerender = false` for this page, ' +
  'or let the `authorized` callback pass it.'
