import type { CookieChange } from '../../kernel/cookies.js'
import { setCookies, type WebRequestFacts } from '../web/index.js'

/**
 * As much of an event of SolidStart as is needed: what API routes and middlewares get, and what `getRequestEvent()` of
 * `solid-js/web` returns.
 */
export interface SolidEvent {
  readonly request: Request
  /** The answer of SolidStart, whichever code gives its body. */
  readonly response: { readonly headers: Headers }
  /** The IP address of the client, as the server knows it. */
  readonly clientAddress?: string | undefined
  /** The event of the server below, with the request of Node where that is the server. */
  readonly nativeEvent?: unknown
}

/** What `latchkey/web` must know of an event beside its request. */
export const factsOf = (event: Pick<SolidEvent, 'clientAddress'>): WebRequestFacts => ({
  clientAddress: () => event.clientAddress,
})

/**
 * Sets cookies with the answer to an event. They are in the answer of SolidStart and not in one of our own, because
 * SolidStart loads the data of the next page with the cookies of that answer.
 */
export const setEventCookies = ({ response }: SolidEvent, cookies: readonly CookieChange[]): void =>
  setCookies(response.headers, cookies)
