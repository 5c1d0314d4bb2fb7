import { type CookieChange, setCookie } from '../kernel/cookies.js'
import type { Visit } from './visit.js'

/** Seconds that a browser keeps the provider: a year, from the last sign-in. */
const KEPT_SECONDS = 365 * 24 * 60 * 60

/**
 * The cookie that keeps with which provider somebody has signed in. It has the id of the provider and nothing about the person,
 * and it stays after a sign-out, because the sign-in page is shown then.
 */
export const keepLastProvider = ({ config, specs, urls }: Visit, providerId: string): readonly CookieChange[] =>
  // A page of the application does not show the mark.
  config.marksLastUsed && urls.ownPage('signIn') === undefined
    ? [setCookie(specs.lastProvider, providerId, { maxAge: KEPT_SECONDS })]
    : []

/** Id of the provider that was used last in this browser; null if none is known, or it is not configured any more. */
export function lastProviderOf({ config, cookies, specs }: Pick<Visit, 'config' | 'cookies' | 'specs'>): string | null {
  const id = config.marksLastUsed ? cookies.get(specs.lastProvider.name) : undefined
  return id !== undefined && config.providers.has(id) ? id : null
}
