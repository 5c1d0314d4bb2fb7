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

const referenceTo = ({ token, identifier }: Link, { provider }: Dependencies) =>
  ({ kind: 'email', id: sha256Base64url(JSON.stringify([provider.id, token, identifier])) }) as const

/** The cookie by which the browser that requested a link is recognised. It lives as long as the link. */
export const markBrowser = (
  request: CookieRequest,
  link: Link,
  dependencies: Dependencies,
): Promise<readonly CookieChange[]> => {
  const { maxAge } = dependencies.provider
  const reference = referenceTo(link, dependencies)
  const content: CookieContent = { i: reference.id, t: dependencies.now() }
  return dependencies.transactions.open(request, {
    ...reference,
    contents: { emailRequest: content },
    lifetimeSeconds: maxAge,
    maxAge: Math.floor(maxAge),
  })
}

/** What the cookie of a link says of the browser that followed it. */
export interface BrowserMarker {
  /** Whether this browser requested the link; `unknown-secret` when another secret may have made its cookie. */
  readonly isRequesting: boolean | 'unknown-secret'
  /** The changes that delete the cookie; none when another secret may have made it. */
  readonly deletions: readonly CookieChange[]
}

/** Reads the cookie of a link. */
export async function readBrowserMarker(
  request: CookieRequest,
  link: Link,
  dependencies: Dependencies,
): Promise<BrowserMarker> {
  const { id, readings, deletions } = await dependencies.transactions.find(request, referenceTo(link, dependencies))
  const reading = readings.emailRequest
  if (reading?.state === 'unknown-secret') return { isRequesting: 'unknown-secret', deletions }
  return { isRequesting: reading?.state === 'valid' && (reading.content as CookieContent).i === id, deletions }
}
