import { sha256Base64url } from '../../crypto/digest.js'
import type { CookieChange } from '../../http/cookies.js'
import type { TransactionCookies } from '../transaction-cookies.js'
import type { CookieRequest } from '../transaction-kinds.js'
import type { EmailDependencies } from './dependencies.js'
import type { Link } from './link.js'

/**
 * What the cookie holds. The pages that follow name the address, and everybody can open their URLs: so neither the URL nor
 * the server may give it away.
 */
export interface EmailRequest {
  /** Which link. */
  readonly i: string
  /** Requested at, in milliseconds since the epoch. */
  readonly t: number
  /** Id of the e-mail provider. */
  readonly provider: string
  /** The address as the link has it. */
  readonly address: string
  /** Whether this browser had asked for a link to the same address just before. */
  readonly isAgain: boolean
  /** Whether the visitor asked to stay signed in. */
  readonly isRemembered: boolean
}

/** After the end of the link, the page that says so can still offer a new one. */
const MARGIN_SECONDS = 60 * 60

type Dependencies = Pick<EmailDependencies, 'provider' | 'transactions' | 'now'>

const referenceTo = ({ token, identifier }: Link, { provider }: Dependencies) =>
  ({ kind: 'email', id: sha256Base64url(JSON.stringify([provider.id, token, identifier])) }) as const

/**
 * The cookie by which the browser that requested a link is recognised, and that has the address for its pages.
 *
 * @param isRemembered whether the visitor asked to stay signed in
 */
export async function markBrowser(
  request: CookieRequest,
  link: Link,
  isRemembered: boolean,
  dependencies: Dependencies,
): Promise<readonly CookieChange[]> {
  const { provider, transactions, now } = dependencies
  const before = await newestRequest(request, transactions)
  const reference = referenceTo(link, dependencies)
  const content: EmailRequest = {
    i: reference.id,
    t: now(),
    provider: provider.id,
    address: link.identifier,
    isAgain: before?.provider === provider.id && before.address === link.identifier,
    isRemembered,
  }
  const lifetimeSeconds = provider.maxAge + MARGIN_SECONDS
  return transactions.open(request, {
    ...reference,
    contents: { emailRequest: content },
    lifetimeSeconds,
    maxAge: Math.floor(lifetimeSeconds),
  })
}

/** The newest request of this browser for a link; null if it asked for none lately. */
export async function newestRequest(
  request: CookieRequest,
  transactions: TransactionCookies,
): Promise<EmailRequest | null> {
  const reading = (await transactions.newest(request, 'email'))?.emailRequest
  return reading?.state === 'valid' ? (reading.content as EmailRequest) : null
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
  return { isRequesting: reading?.state === 'valid' && (reading.content as EmailRequest).i === id, deletions }
}
