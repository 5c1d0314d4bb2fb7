import type { CookieChange } from '../../kernel/cookies.js'
import { sha256Base64url, sha256Hex } from '../../kernel/digest.js'
import { randomToken } from '../../kernel/random.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { CookieRequest } from '../../sign-in/cookies.js'
import type { FoundTransaction, TransactionCookies } from '../../sign-in/transaction-cookies.js'
import { EMAIL_TRANSACTION, type MailRequest } from './dependencies.js'

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
  /** The code of the same mail; absent if it has none. */
  readonly code?: ExpectedCode
}

/** What a browser keeps of a code that it has asked for. */
export interface ExpectedCode {
  /** Key of the record that counts the tries. */
  readonly id: string
  readonly digest: string
  /** Hash of the token of the same mail, as it is stored. Code and link use it up, so they are one one-time value. */
  readonly token: string
}

/** After the end of the link, the page that says so can still offer a new one. */
const MARGIN_SECONDS = 60 * 60

/** The browser that requests a link, or follows one. */
type Requesting = Pick<MailRequest, 'provider' | 'transactions' | 'now'> & { readonly request: CookieRequest }

/** It stands in the encrypted content alone: whoever asks for a link to a stranger's address could try all short tokens with it. */
const digestOf = ({ provider }: Requesting, { token, identifier }: Link): string =>
  sha256Base64url(JSON.stringify([provider.id, token, identifier]))

/**
 * The cookie by which the browser that requested a link is recognised, and that has the address for its pages.
 *
 * @param isRemembered whether the visitor asked to stay signed in
 * @param code that of the same mail; null if it has none
 */
export function markBrowser(
  at: Requesting,
  link: Link,
  isRemembered: boolean,
  code: ExpectedCode | null = null,
): readonly CookieChange[] {
  const { request, provider, transactions, now } = at
  const before = newestRequest(request, transactions)
  const content: EmailRequest = {
    i: digestOf(at, link),
    t: now(),
    provider: provider.id,
    address: link.identifier,
    isAgain: before?.provider === provider.id && before.address === link.identifier,
    isRemembered,
    ...(code && { code }),
  }
  const lifetimeSeconds = provider.maxAge + MARGIN_SECONDS
  return transactions.open(request, {
    kind: EMAIL_TRANSACTION,
    id: randomToken(),
    contents: { emailRequest: content },
    lifetimeSeconds,
    maxAge: Math.floor(lifetimeSeconds),
  })
}

/** The newest request of this browser for a link; null if it asked for none lately. */
export function newestRequest(request: CookieRequest, transactions: TransactionCookies): EmailRequest | null {
  const [newest] = requestsOf({ request, transactions })
  return newest?.content ?? null
}

/** What this browser has asked for lately, the newest first, each with the changes that delete its cookie. */
export function requestsOf({ request, transactions }: Pick<Requesting, 'request' | 'transactions'>) {
  const found = transactions.list(request, EMAIL_TRANSACTION)
  return found.flatMap((each) => {
    const content = contentOf(each)
    return content ? [{ content, deletions: each.deletions }] : []
  })
}

/** Where a link was requested, as far as its cookie says. With `unknown-secret`, another secret may have made the cookie. */
export type RequestedIn = 'this-browser' | 'another-browser' | 'unknown-secret'

/**
 * What the cookie of a link says of the browser that followed it, and the changes that delete the cookie: none when another secret
 * may have made it.
 */
export function readBrowserMarker(
  at: Requesting,
  link: Link,
): Pick<FoundTransaction, 'deletions'> & { readonly requestedIn: RequestedIn } {
  const requests = at.transactions.list(at.request, EMAIL_TRANSACTION)
  const digest = digestOf(at, link)
  const own = requests.find((each) => contentOf(each)?.i === digest)
  if (own) return { requestedIn: 'this-browser', deletions: own.deletions }
  const isUnknown = requests.some(({ readings }) => readings['emailRequest']?.state === 'unknown-secret')
  return { requestedIn: isUnknown ? 'unknown-secret' : 'another-browser', deletions: [] }
}

const contentOf = ({ readings: { emailRequest } }: Pick<FoundTransaction, 'readings'>): EmailRequest | null =>
  emailRequest?.state === 'valid' ? (emailRequest.content as EmailRequest) : null

/** Before the token of a link whose visitor asked to stay signed in. */
const REMEMBERED = 'remember '

/** What a mailed link holds. The token proves that its visitor can read the mail of the address. */
export interface Link {
  readonly token: string
  readonly identifier: string
}

/**
 * The text whose hash the store has for a link. It says whether the visitor who requested the link asked to stay signed
 * in, so the choice is stored and not in the link: nobody can change it, and it also counts on another device.
 */
export const storedText = (token: string, isRemembered: boolean): string => (isRemembered ? REMEMBERED + token : token)

/**
 * Hashes under which the store may have a token. A new token is stored under the first.
 *
 * @returns after the first, the hashes with the other secrets, and that with the comma-joined list of all, which
 *   Auth.js uses: links that were mailed before stay good with a new secret, and after a move from Auth.js
 */
export function tokenHashes(
  token: string,
  { secrets: own }: Pick<ResolvedEmailProvider, 'secrets'>,
  secrets: readonly string[],
): [string, ...string[]] {
  const [newest = '', ...older] = own ?? secrets
  const others = older.length > 0 ? [...older, [newest, ...older].join(',')] : []
  return [sha256Hex(token + newest), ...others.map((other) => sha256Hex(token + other))]
}
