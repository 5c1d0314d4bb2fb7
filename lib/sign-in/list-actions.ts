import type { MaybePromise } from '../kernel/awaitable.js'
import type { BodyFields } from '../kernel/body.js'
import type { CookieChange } from '../kernel/cookies.js'
import {
  type AuthError,
  InvalidConfiguration,
  MissingAdapter,
  MissingAdapterMethods,
  RequestRefused,
} from '../kernel/errors.js'
import { ENDED_MEANWHILE, withParams } from '../pages/action-urls.js'
import { type CurrentReading, currentReading } from '../sessions/session.js'
import { accountUrl } from './account-part.js'
import { rememberReturnTarget } from './find-return-target.js'
import { signInPageFor } from './leading-to-sign-in.js'
import type { Caller } from './operation.js'
import { json, jsonAfter, type Outcome, redirect, redirectAfter } from './outcome.js'
import type { Action, Visit } from './visit.js'

/** What was done: what a script gets, and what the browser gets. */
interface Done {
  readonly body: unknown
  readonly status?: number
  readonly cookies?: readonly CookieChange[]
  /** What a browser is shown, in place of its page. */
  readonly shows?: Outcome
  /** How the account page says that it was done: by the text `account.done.` with this name. */
  readonly says?: string
  /** Why a part of it is not done; it is in the log. */
  readonly fault?: AuthError | null | undefined
}

/** GET: a list, as JSON; 401 if nobody is signed in. */
export const lists =
  (notKept: string, body: (caller: Caller) => Promise<object>): Action =>
  async (visit) =>
    json(await whereKept(notKept, () => body(callerOf(visit))))

/** POST: a form of a page comes back to its page, and a script gets JSON. */
export const changes =
  (notKept: string, work: (caller: Caller, fields: BodyFields, visit: Visit) => Promise<Done>): Action =>
  async (visit) => {
    const caller = callerOf(visit)
    const { wantsPage } = visit
    if (wantsPage) {
      // Who must sign in again comes back to the page with the list.
      visit.keep.onFailure({ wayBack: await rememberReturnTarget(visit) })
      // Whoever submitted the form was signed out meanwhile, perhaps in another tab.
      const { session, cookies } = await caller.read()
      if (session === null) return redirect(signInPageFor(visit, await visit.returnTarget(), ENDED_MEANWHILE), cookies)
    }
    const done = await whereKept(notKept, () => work(caller, visit.fields, visit))
    const { body, status = 200, cookies = [], says, fault, shows } = done
    if (fault) {
      const redirection = redirectAfter(fault, visit, cookies)
      return wantsPage ? redirection : jsonAfter(fault, redirection.to, cookies)
    }
    // Also if there is no such session any more: the page with the list does not show it, which is what the visitor wants.
    return wantsPage ? (shows ?? redirect(await targetAfter(visit, says), cookies)) : json(body, cookies, status)
  }

/** Where a form leads. The account page says what was done; other pages of an application see for themselves. */
export async function targetAfter(visit: Visit, done: string | undefined): Promise<string> {
  const target = await visit.returnTarget()
  return target === accountUrl(visit) ? withParams(target, { done }, visit.origin) : target
}

/** The request as operations get it. */
export function callerOf(visit: Visit): Caller {
  let reading: MaybePromise<CurrentReading> | undefined
  return {
    config: visit.config,
    context: visit,
    method: visit.method,
    read() {
      // The event `session` is about sessions that are given out, and none is here.
      reading ??= currentReading(visit.sessions.read(visit), visit, null)
      return reading
    },
    visit: () => visit,
  }
}

/**
 * Runs work that needs something that the configuration keeps.
 *
 * @throws {RequestRefused} 404 if it does not. Any visitor can ask, so this is no fault for the log
 */
async function whereKept<T>(notKept: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw NOT_KEPT.some((type) => error instanceof type) ? new RequestRefused(404, notKept) : error
  }
}

const NOT_KEPT = [InvalidConfiguration, MissingAdapter, MissingAdapterMethods]

/** Does work that needs something that the configuration keeps. Gives null if it does not. */
export async function ifKept<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (NOT_KEPT.some((type) => error instanceof type)) return null
    throw error
  }
}

/** @throws {RequestRefused} 400 if a field is missing */
export function requiredText(value: unknown, refusal: string): string {
  if (typeof value !== 'string' || value === '') throw new RequestRefused(400, refusal)
  return value
}

/** Names what a browser gets of something; anything else stays here. */
export const pick =
  <Item, Name extends keyof Item>(...names: Name[]) =>
  (item: Item): Pick<Item, Name> =>
    Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<Item, Name>
