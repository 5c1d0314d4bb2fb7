import type { VerificationToken } from '../../adapters/adapter.js'
import { onlyParameter } from '../../kernel/urls.js'
import type { FlowPause, FlowResult } from '../../sign-in/flow.js'
import type { Visit } from '../../sign-in/visit.js'
import { type MailRequest, mailedPerson } from './dependencies.js'
import { Verification } from './errors.js'
import { type Link, type RequestedIn, storedText, tokenHashes } from './requesting-browser.js'
import { showConfirm } from './send-link-form.js'

const MAX_LENGTH = 1000

/**
 * Ends a sign-in with a mailed link, or asks whether to.
 *
 * Mail scanners open every link they find, so opening a link uses nothing up, unless this browser requested it. A POST
 * uses it up: scanners do not send one.
 *
 * @throws {Verification} when the link is damaged, unknown, used up, expired, or was sent to another address
 * @throws {AdapterError} when the store fails
 */
export async function redeemLink(
  at: MailRequest,
  link: Link,
  requestedIn: RequestedIn,
): Promise<FlowResult | FlowPause> {
  const { request, provider } = at
  if (!signsInAtOnce(at, requestedIn)) {
    const problem = await lookForProblem(at, link)
    if (problem !== null) throw unusableLink(provider.id, problem)
    return { kind: 'answer', outcome: await showConfirm(request, provider.id, link) }
  }
  const { row, isRemembered } = await consume(at, link)
  if (!row && requestedIn === 'unknown-secret') {
    throw unusableLink(
      provider.id,
      'is unknown; the cookie of the browser that requested it was made with a secret that this process does not have',
    )
  }
  const problem = row ? expiryProblem(row, at) : UNKNOWN
  if (problem !== null) throw unusableLink(provider.id, problem)
  const isUnbound = request.incoming.method !== 'POST' && requestedIn !== 'this-browser'
  return { kind: 'identity', identity: { ...(await mailedPerson(link.identifier, at)), isUnbound }, isRemembered }
}

/** The token and the address that a link or the page's form brings; null when either is missing or is not one text. */
export function findLink({ query, fields }: Visit): Link | null {
  const fromForm = 'token' in fields || 'email' in fields
  const [token, identifier] = fromForm
    ? [fields['token'], fields['email']]
    : [onlyParameter(query, 'token'), onlyParameter(query, 'email')]
  return isText(token) && isText(identifier) ? { token, identifier } : null
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH

function signsInAtOnce({ request, provider }: MailRequest, requestedIn: RequestedIn): boolean {
  if (request.incoming.method === 'POST' || provider.confirm === 'never') return true
  if (provider.confirm !== 'auto' || isPrefetch(request)) return false
  return requestedIn === 'this-browser'
}

/** Whether a browser fetches the page before anybody has asked for it. */
const isPrefetch = ({ incoming }: Visit): boolean =>
  ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'].some((name) =>
    /prefetch|preview|prerender/i.test(incoming.header(name) ?? ''),
  )

/**
 * Whether a link can still work, without using it up: nobody shall press a button in vain. Whoever opens a link that works
 * could use it anyway, so this tells them nothing. But a code that the application makes may be short. Then only a POST
 * tries it, because that is what the application limits.
 *
 * @returns why it cannot work; null if it may, or if nobody can say: then the button finds out
 */
async function lookForProblem(at: MailRequest, link: Link): Promise<string | null> {
  const { request, store, provider, logger } = at
  if (!store.has('getVerificationToken') || provider.source.generateVerificationToken) return null
  try {
    for (const { hash } of storedForms(at, link)) {
      const row = await store.getVerificationToken({ identifier: link.identifier, token: hash })
      if (row) return expiryProblem(row, at)
    }
    return UNKNOWN
  } catch (fault) {
    logger.error(fault as Error, request.incoming.source)
    return null
  }
}

const UNKNOWN = 'is unknown, was used already, or was sent to another address'

/** Null for a link that has not expired. */
export function expiryProblem({ expires }: VerificationToken, { now }: MailRequest): string | null {
  const over = now() - new Date(expires).getTime()
  // For a row without a time this is not a number, and the link is refused as well.
  return over < 0 ? null : `expired ${Math.round(over / 1000)} s ago by this machine's clock`
}

/** The hashes that the store may have for a link, and what each says of the visitor who asked for it. */
function storedForms({ provider, secrets, asksToRemember }: MailRequest, { token }: Link) {
  return (asksToRemember ? [false, true] : [false]).flatMap((isRemembered) =>
    tokenHashes(storedText(token, isRemembered), provider, secrets).map((hash) => ({ hash, isRemembered })),
  )
}

/** Takes the token out of the store: one atomic call for each form in which it may be there. */
async function consume(at: MailRequest, link: Link) {
  for (const { hash, isRemembered } of storedForms(at, link)) {
    const key = { identifier: link.identifier, token: hash }
    const row: VerificationToken | null | undefined = await at.store.useVerificationToken(key)
    if (row) return { row, isRemembered }
  }
  return { row: null, isRemembered: false }
}

/** The error for a link that signs nobody in. */
export const unusableLink = (provider: string, why: string) =>
  new Verification(`Provider "${provider}": the link ${why}.`, { provider })
