import type { VerificationToken } from '../../adapters/adapter.js'
import { Verification } from '../../errors.js'
import { parseAddress } from '../../providers/mail/address.js'
import type { FlowQuestion, FlowRequest, FlowResult } from '../flow.js'
import { type EmailDependencies, personOf } from './dependencies.js'
import { type Link, storedText, tokenHashes } from './link.js'
import type { BrowserMarker } from './requesting-browser.js'

const MAX_LENGTH = 1000

/**
 * Ends a sign-in with a mailed link, or asks whether to.
 *
 * Mail scanners open every link they find, so opening a link uses nothing up, unless this browser requested it. A POST
 * uses it up: scanners do not send one.
 *
 * @param isRequesting whether this browser requested the link
 * @throws {Verification} when the link is damaged, unknown, used up, expired, or was sent to another address
 * @throws {AdapterError} when the store fails
 */
export async function redeemLink(
  request: FlowRequest,
  link: Link,
  isRequesting: BrowserMarker['isRequesting'],
  dependencies: EmailDependencies,
): Promise<FlowResult | FlowQuestion> {
  const { provider } = dependencies
  if (!signsInAtOnce(request, isRequesting, dependencies)) return question(link)
  const { row, isRemembered } = await consume(link, dependencies)
  if (!row && isRequesting === 'unknown-secret') {
    throw unusableLink(
      provider.id,
      'is unknown; the cookie of the browser that requested it was made with a secret that this process does not have',
    )
  }
  if (!row) throw unusableLink(provider.id, 'is unknown, was used already, or was sent to another address')
  const over = dependencies.now() - new Date(row.expires).getTime()
  // For a row without a time this is not a number, and the link is refused as well.
  if (!(over < 0)) throw unusableLink(provider.id, `expired ${Math.round(over / 1000)} s ago by this machine's clock`)
  return { kind: 'identity', identity: await personOf(link.identifier, dependencies), isRemembered }
}

/** The token and the address that a link or the page's form brings; null when either is missing or is not one text. */
export function findLink({ query, fields }: FlowRequest): Link | null {
  const fromForm = 'token' in fields || 'email' in fields
  const [token, identifier] = fromForm
    ? [fields['token'], fields['email']]
    : [only(query.getAll('token')), only(query.getAll('email'))]
  return isText(token) && isText(identifier) ? { token, identifier } : null
}

const only = (values: readonly string[]) => (values.length === 1 ? values[0] : undefined)

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH

function signsInAtOnce(
  request: FlowRequest,
  isRequesting: BrowserMarker['isRequesting'],
  { provider }: EmailDependencies,
): boolean {
  if (request.incoming.method === 'POST' || provider.confirm === 'never') return true
  if (provider.confirm !== 'auto' || isPrefetch(request)) return false
  return isRequesting === true
}

/** Whether a browser fetches the page before anybody has asked for it. */
const isPrefetch = ({ incoming }: FlowRequest): boolean =>
  ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'].some((name) =>
    /prefetch|preview|prerender/i.test(incoming.header(name) ?? ''),
  )

/** Anybody can write a link, so the page shows nothing of it but an address. */
const question = ({ token, identifier }: Link): FlowQuestion => ({
  kind: 'confirm',
  identifier: parseAddress(identifier) === identifier ? identifier : null,
  fields: { token, email: identifier },
})

/** Takes the token out of the store: one atomic call for each form in which it may be there. */
async function consume({ token, identifier }: Link, dependencies: EmailDependencies) {
  const { store, provider, secrets, asksToRemember } = dependencies
  for (const isRemembered of asksToRemember ? [false, true] : [false]) {
    for (const hash of tokenHashes(storedText(token, isRemembered), provider, secrets)) {
      const row: VerificationToken | null | undefined = await store.useVerificationToken({ identifier, token: hash })
      if (row) return { row, isRemembered }
    }
  }
  return { row: null, isRemembered: false }
}

/** The error for a link that signs nobody in. */
export const unusableLink = (provider: string, why: string) =>
  new Verification(`Provider "${provider}": the link ${why}.`, { provider })
