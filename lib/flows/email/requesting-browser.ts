import { sha256Base64url } from '../../crypto/digest.js'
import type { CookieChange } from '../../http/cookies.js'
import type { CookieRequest } from '../transaction-kinds.js'
import type { EmailDependencies } from './dependencies.js'
import type { Link } from './link.js'

/** What the cookie holds. */
interface CookieContent {
  /** Which link. */
  readonly i: string
  /** Requested at, in milliseconds since the epoch. */
  readonly t: number
}

type Dependencies = Pick<EmailDependencies, 'provider' | 'transactions' | 'now'>

const idOf = ({ token, identifier }: Link, { provider }: Dependencies) =>
  sha256Base64url(JSON.stringify([provider.id, token, identifier]))

const referenceTo = (link: Link, dependencies: Dependencies) =>
  ({ kind: 'email', id: idOf(link, dependencies) }) as const

/** The cookie by which the browser that requested a link is recognised. It lives as long as the link. */
export const markBrowser = (
  request: CookieRequest,
  link: Link,
  dependencies: Dependencies,
): Promise<readonly CookieChange[]> => {
  const { maxAge } = dependencies.provider
  const content: CookieContent = { i: idOf(link, dependencies), t: dependencies.now() }
  return dependencies.transactions.open(request, {
    ...referenceTo(link, dependencies),
    contents: { emailRequest: content },
    lifetimeSeconds: maxAge,
    maxAge: Math.floor(maxAge),
  })
}

/**
 * Whether this browser requested the link.
 *
 * @returns `unknown-secret` when its cookie may have been made with a secret that is not known here
 */
export async function isRequestingBrowser(
  request: CookieRequest,
  link: Link,
  dependencies: Dependencies,
): Promise<boolean | 'unknown-secret'> {
  const { emailRequest: reading } = await dependencies.transactions.read(request, referenceTo(link, dependencies))
  if (reading?.state === 'unknown-secret') return 'unknown-secret'
  return reading?.state === 'valid' && (reading.content as CookieContent).i === idOf(link, dependencies)
}

/** Deletes the cookie of a link, unless it may have been made with a secret that is not known here. */
export const clearBrowserMarker = (
  request: CookieRequest,
  link: Link,
  dependencies: Dependencies,
): readonly CookieChange[] => dependencies.transactions.clear(request, referenceTo(link, dependencies))
