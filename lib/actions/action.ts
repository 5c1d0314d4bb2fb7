import type { Config, ConfiguredProvider, Scheme } from '../config/config.js'
import type { BodyFields } from '../http/body.js'
import type { CookieChange } from '../http/cookies.js'
import type { Incoming } from '../http/incoming.js'
import type { RequestContext } from '../http/request-context.js'
import type { PageView } from '../pages/view.js'
import type { ActionUrls } from './urls.js'

/** What an action sees of a request. Nothing in it changes: what an action does is in its {@link Outcome}. */
export interface ActionContext extends RequestContext {
  readonly config: Config
  readonly incoming: Incoming
  readonly scheme: Scheme
  readonly urls: ActionUrls
  /** The query, each name once. */
  readonly query: BodyFields
  /** The query as it came. */
  readonly rawQuery: URLSearchParams
  /** The body; no fields with GET. */
  readonly fields: BodyFields
  /** The provider that the path names. */
  readonly provider: ConfiguredProvider | null
  /** Where the visitor goes in the end; it has passed the `redirect` callback. */
  readonly callbackUrl: string
}

interface Answer {
  /** Cookies to set and to delete. */
  readonly cookies: readonly CookieChange[]
  /** Headers beyond those that every answer of the kind has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** How an action ends: with a redirect, a page, JSON, or a file. */
export type Outcome =
  | (Answer & { readonly kind: 'redirect'; readonly to: string })
  | (Answer & { readonly kind: 'page'; readonly view: PageView })
  | (Answer & { readonly kind: 'json'; readonly body: unknown; readonly status: number })
  | (Answer & { readonly kind: 'file'; readonly text: string | undefined })

/** One thing that Latchkey does over HTTP. */
export type Action = (context: ActionContext) => Promise<Outcome> | Outcome

/** Sends the visitor on. */
export const redirect = (to: string, cookies: readonly CookieChange[] = []): Outcome => ({
  kind: 'redirect',
  to,
  cookies,
})

/** Shows a page, with the status of its view. */
export const page = (view: PageView, cookies: readonly CookieChange[] = []): Outcome => ({
  kind: 'page',
  view,
  cookies,
})

/** Answers with JSON. */
export const json = (body: unknown, cookies: readonly CookieChange[] = [], status = 200): Outcome => ({
  kind: 'json',
  body,
  status,
  cookies,
})

/** Answers with a text as it is. `headers` are all that the answer has. */
export const file = (text: string | undefined, headers: Readonly<Record<string, string>>): Outcome => ({
  kind: 'file',
  text,
  headers,
  cookies: [],
})
