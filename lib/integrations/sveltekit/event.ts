import type { MaybePromise } from '../../awaitable.js'
import { isBuiltBySvelteKit } from '../../config/env.js'
import type { CookieAttributes } from '../../http/cookies.js'
import { cookieHeader } from '../request-headers.js'

/** As much of SvelteKit's `RequestEvent` as Latchkey reads. The events of SvelteKit 2 and 3 have this type. */
export interface SvelteKitEvent {
  readonly request: Request
  /** The address without the suffix of a data request. */
  readonly url: URL
  readonly locals: object
  readonly cookies: {
    getAll(): readonly { readonly name: string; readonly value: string }[]
    set(name: string, value: string, options: CookieAttributes & { path: string }): void
  }
  /** Whether the page is asked for its data only: `/notes/__data.json`. */
  readonly isDataRequest: boolean
  /** Whether `event.fetch` made the request, on the server. */
  readonly isSubRequest: boolean
  /** Whether the request is that of a remote function. Older versions of SvelteKit 2 do not say it. */
  readonly isRemoteRequest?: boolean
  /** The IP address of the client, as the adapter of SvelteKit knows it. It throws where nothing knows it. */
  getClientAddress?(): string
}

/** What SvelteKit gives to a `handle` hook. */
export interface HandleInput<Event extends SvelteKitEvent> {
  readonly event: Event
  resolve(event: Event): MaybePromise<Response>
}

/** A `handle` hook, as SvelteKit's `Handle`. */
export type SvelteKitHandle = <Event extends SvelteKitEvent>(input: HandleInput<Event>) => Promise<Response>

/**
 * What `latchkey/web` must know of an event beside its request. The adapter of SvelteKit has read the forwarded headers that
 * its settings trust, and `event.url` is the result: SvelteKit itself compares it with the sender of every form. So the
 * headers of the request are read without them.
 */
export const factsOf = (event: SvelteKitEvent) =>
  ({
    protocol: event.url.protocol === 'https:' ? 'https' : 'http',
    host: event.url.host,
    // As they are now: an action can begin a session before the page of its answer reads it.
    cookies: cookieHeader(event.cookies.getAll()),
    clientAddress: () => event.getClientAddress?.(),
  }) as const

/** The path for which SvelteKit makes the fallback page. */
const FALLBACK = '/[fallback]'

/**
 * Whether SvelteKit makes a page or a fallback while it builds the application. Nobody is signed in then, and there may be
 * no secret. `url.search` throws while SvelteKit prerenders. The request for a fallback has no headers and a path of its
 * own. A visitor can send the same, and would then pass the guard: so the process must also be that of a build, which
 * SvelteKit 2 and 3 say in the environment of the thread.
 */
export function isBuilding({ request, url, isSubRequest }: SvelteKitEvent): boolean {
  try {
    void url.search
  } catch {
    return true
  }
  if (isSubRequest || url.pathname !== FALLBACK || !isBuiltBySvelteKit()) return false
  return request.headers.keys().next().done === true
}
