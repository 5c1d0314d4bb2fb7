import type { CookieChange } from './cookies.js'

/** What the page of a failure needs to know of the request that failed. */
export interface FailurePage {
  /** Whether the visitor asked to stay signed in; the page of another try keeps the tick. */
  readonly isRemembered?: boolean | undefined
  /** The page of the link that was being made, which shows the error. */
  readonly linkPage?: string | undefined
  /** Where a sign-in was to lead. The sign-in page leads there if somebody else has signed in meanwhile. */
  readonly returnTarget?: string | undefined
  /** Cookies that lead whoever signs in now to where they wanted to go. */
  readonly wayBack?: readonly CookieChange[]
}

/** What the cookies of every answer are about. */
type Subject = 'session' | 'attempt' | 'return target'

/**
 * What the answer to a request must carry, also if the action fails later: no error carries it. A session that begins is never
 * kept here, because the page of a failure would sign in.
 */
export class Keep {
  readonly #cookies = new Map<Subject, readonly CookieChange[]>()
  #page: FailurePage = {}

  /** Cookies of every answer. They replace those that were kept of the same subject before. */
  always(subject: Subject, cookies: readonly CookieChange[]): void {
    this.#cookies.set(subject, cookies)
  }

  /** For the answer to a failure only. */
  onFailure(page: FailurePage): void {
    this.#page = { ...this.#page, ...page }
  }

  get cookies(): readonly CookieChange[] {
    return [...this.#cookies.values()].flat()
  }

  get page(): FailurePage {
    return this.#page
  }
}
