import type { CookieChange } from '../kernel/cookies.js'
import { type AuthError, ruleOf } from '../kernel/errors.js'
import type { ActionUrls } from '../pages/action-urls.js'
import { errorMessage } from '../pages/messages.js'
import { inEnglish } from '../pages/texts/words.js'
import type { PageView } from '../pages/view.js'

interface Answer {
  /** Cookies to set and to delete. */
  readonly cookies: readonly CookieChange[]
}

/** An outcome that may have headers. A redirect may not: a script gets JSON in its place, and would lose them. */
interface AnswerWithHeaders extends Answer {
  /** Headers in addition to those of every page, of all JSON, or of every file. */
  readonly headers?: Readonly<Record<string, string>>
}

/** How an action ends: with a redirect, a page, JSON, or a file. */
export type Outcome =
  | (Answer & {
      readonly kind: 'redirect'
      readonly to: string
      /** As {@link Redirection.fault}. */
      readonly fault?: AuthError
    })
  | (AnswerWithHeaders & { readonly kind: 'page'; readonly view: PageView })
  | (AnswerWithHeaders & {
      readonly kind: 'json'
      readonly body: unknown
      readonly status: number
      readonly indent?: number
    })
  | (AnswerWithHeaders & { readonly kind: 'file'; readonly text: string | undefined })

/** Where code of the application must redirect the visitor, and the cookies to set with that. */
export interface Redirection {
  readonly url: string
  readonly cookies: readonly CookieChange[]
  /** Why only a part was done: the cookies count, and `url` is the page that tells the visitor. It is in the log. */
  readonly fault?: AuthError
}

/** Redirects the visitor. */
export const redirect = (to: string, cookies: readonly CookieChange[] = []): Outcome => ({
  kind: 'redirect',
  to,
  cookies,
})

/** Redirects to the page about a fault that left a part undone. A script gets the fault in place of the redirect. */
export const redirectAfter = (
  fault: AuthError,
  { urls }: { readonly urls: ActionUrls },
  cookies: readonly CookieChange[],
): Extract<Outcome, { kind: 'redirect' }> => {
  const { page: kind, shownAs } = ruleOf(fault)
  return { kind: 'redirect', to: urls.errorTarget(kind, { error: shownAs }), cookies, fault }
}

/** The same fault as JSON: a script that waits for the return target would take a redirect as success. */
export const jsonAfter = (fault: AuthError, url: string, cookies: readonly CookieChange[]): Outcome => {
  const { shownAs } = ruleOf(fault)
  return json({ error: shownAs, message: inEnglish(errorMessage(shownAs).text), url }, cookies, 503)
}

/** Shows a page, with the status of its view. */
export const page = (view: PageView, cookies: readonly CookieChange[] = []): Extract<Outcome, { kind: 'page' }> => ({
  kind: 'page',
  view,
  cookies,
})

/** Answers with JSON; without a body where it is undefined. */
export const json = (
  body: unknown,
  cookies: readonly CookieChange[] = [],
  status = 200,
): Extract<Outcome, { kind: 'json' }> => ({
  kind: 'json',
  body,
  status,
  cookies,
})

/**
 * Answers with a text, which is sent unchanged.
 *
 * @param text undefined for no body
 * @param headers every header of the answer
 */
export const file = (text: string | undefined, headers: Readonly<Record<string, string>>): Outcome => ({
  kind: 'file',
  text,
  headers,
  cookies: [],
})
