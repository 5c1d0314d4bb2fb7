import { RecentSignInRequired, RequestRefused } from '../../kernel/errors.js'
import { linkPageAddress } from '../../kernel/return-target.js'
import { webUrlOf } from '../../kernel/urls.js'
import { ENDED_MEANWHILE, siteOf } from '../../pages/action-urls.js'
import { isTicked } from '../../pages/form-field.js'
import { isOfAnotherUser, linkMessage } from '../../pages/messages.js'
import { pageText, type TextKey } from '../../pages/texts/text.js'
import type { AccountPart, LinkPurpose, LinkView } from '../../pages/view.js'
import { configuredParameter } from '../../providers/authorization-parameters.js'
import { isOAuthProvider, type ResolvedProvider } from '../../providers/provider.js'
import { principalOf, type SessionReading } from '../../sessions/session.js'
import { asking, leadsTo, sends } from '../../sign-in/account-part.js'
import { csrfTokenOf } from '../../sign-in/csrf-token.js'
import { redirectTarget, rememberReturnTarget } from '../../sign-in/find-return-target.js'
import { type Flow, flowOf } from '../../sign-in/flow.js'
import { lacksFactor, signInPageFor } from '../../sign-in/leading-to-sign-in.js'
import { changes, ifKept, lists, pick, requiredText } from '../../sign-in/list-actions.js'
import { type Caller, carryOut } from '../../sign-in/operation.js'
import { type Outcome, page, redirect } from '../../sign-in/outcome.js'
import { leadsToHttp } from '../../sign-in/sign-in-form.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { signInAgain } from '../../users/refusals.js'
import { sessionDigest, userDigest } from '../../users/signed-in-user.js'
import { ACCOUNTS, createLinkRequests, type LinkRequest, listAccounts, unlinkAccount } from './links.js'
import type { LinkedAccount } from './user-accounts.js'

/**
 * GET link: the page that says which account will be added to whom, with a button. Nothing happens before the button is
 * pressed: a link from anywhere leads here.
 */
export const showLink: Action = async (visit) => {
  const { query, origin, urls } = visit
  const link = await readLink(visit, query.get('request'))
  const { provider, requestText, asked } = link
  const reading = await visit.sessions.renew(visit)
  const { userId, session, cookies } = reading
  if (userId === null || session === null) return toSignIn(visit, link, reading)
  requireForUser(asked, userId)
  // The sign-in page says why. After the sign-in, the visitor comes back here.
  if (!(await mayAdd(visit, reading, link.provider))) return toSignIn(visit, link, reading, { error: RECENT })
  const form = csrfTokenOf(visit)
  const { host, insecure } = siteOf(origin)
  const view = linkPage({
    providerName: provider.name,
    action: urls.action('link', provider.id),
    userName: session.user?.email ?? session.user?.name ?? null,
    scope: asked?.scope ?? null,
    purpose: await purposeOf(visit, link, userId),
    letsChoose: letsChoose(provider),
    request: requestText,
    callbackUrl: link.returnTarget,
    csrfToken: form.token,
    error: query.get('error') ?? undefined,
    host,
    insecure: insecure || leadsToHttp(provider),
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(visit)), ...cookies])
}

/** POST link: sends the signed-in visitor to the provider. The callback adds the account to them, and signs nobody in. */
export const postLink: Action = async (visit) => {
  const { config, fields } = visit
  const text = fields['request']
  const link = await readLink(visit, typeof text === 'string' && text !== '' ? text : null)
  // The page of the link has the button that adds the account.
  if (visit.mayBeFromFrontEnd) return redirect(addressOf(visit, link))
  const reading = await visit.sessions.renew(visit)
  if (reading.userId === null) return toSignIn(visit, link, reading, ENDED_MEANWHILE)
  requireForUser(link.asked, reading.userId)
  visit.keep.always('session', reading.cookies)
  visit.keep.always('return target', await rememberReturnTarget(visit))
  visit.keep.onFailure({ linkPage: addressOf(visit, link) })
  visit.leadTo(link.returnTarget)
  const { scope = null, offline = false } = link.asked ?? {}
  const choosesAccount = isTicked(fields, 'chooseAccount') && letsChoose(link.provider)
  const further = { scope, offline, choosesAccount, request: link.requestText ?? undefined }
  if (!(await mayAdd(visit, reading, link.provider))) throw signInAgain({ provider: link.provider.id })
  const initiator = await (await config.users()).initiator(async () => principalOf(reading))
  // The user was deleted or disabled a moment ago.
  if (initiator === null || reading.id === null) return toSignIn(visit, link, reading)
  const start = await link.begin(visit, initiator, { ...further, sessionDigest: sessionDigest(reading.id) })
  return 'redirectTo' in start
    ? redirect(await redirectTarget(visit, start.redirectTo))
    : redirect(start.url, start.cookies)
}

/** A link that a request asks for. */
interface AskedLink {
  readonly provider: ResolvedProvider
  readonly begin: NonNullable<Flow['start']>
  /** As it came; null for none. */
  readonly requestText: string | null
  /** What is in it. */
  readonly asked: LinkRequest | null
  readonly returnTarget: string
}

/**
 * What shall be linked. A scope comes from a link request only, which code of the application made.
 *
 * @throws {RequestRefused} 404 when this provider cannot be linked; 400 when the link request is not good any more
 */
async function readLink(visit: Visit, requestText: string | null): Promise<AskedLink> {
  const { config } = visit
  const { provider, begin } = requireLinkable(visit)
  if (requestText === null) {
    return { provider, begin, requestText, asked: null, returnTarget: await visit.returnTarget() }
  }
  const asked = createLinkRequests(config.secrets, config.now).read(requestText)
  if (asked === null || asked.provider !== provider.id) throw unusable()
  return { provider, begin, requestText, asked, returnTarget: await redirectTarget(visit, asked.callbackUrl) }
}

/** A request of another user is like a damaged one: whoever has got its URL must learn nothing of it. */
function requireForUser(asked: LinkRequest | null, userId: string): void {
  if (asked !== null && asked.userDigest !== userDigest({ id: userId })) throw unusable()
}

const unusable = () => new RequestRefused(400, 'The link request is damaged, has expired, or is for another user.')

/** Whether accounts of a provider can be added to users: without checks, anybody could bring that about. */
const isLinkable = (provider: ResolvedProvider, { services }: Visit['config']): boolean =>
  isOAuthProvider(provider) && provider.checks.size > 0 && services.get(ACCOUNTS) !== null

/**
 * Accounts of OAuth and OpenID Connect are linked here; passkeys have their own ceremony. Without checks, nothing shows
 * that an authorization response belongs to the visitor, so such a provider adds no account.
 */
function requireLinkable({ provider, config }: Visit): Pick<AskedLink, 'provider' | 'begin'> {
  const begin = provider && flowOf(config, provider).start
  if (provider && begin && isLinkable(provider, config)) return { provider, begin }
  throw new RequestRefused(404, 'No account can be added here.')
}

async function mayAdd(visit: Visit, reading: SessionReading, provider: ResolvedProvider): Promise<boolean> {
  const { ownSignIns, users } = visit.config
  const signedIn = await (await users()).signedIn(async () => ownSignIns.mark(visit, principalOf(reading)))
  if (!signedIn?.mayAdd) return false
  return !(await lacksFactor(visit)) || hasAccountAt(visit, provider, String(signedIn.user.id))
}

/** The sign-in page, which leads back to the page of the link. */
function toSignIn(
  visit: Visit,
  link: AskedLink,
  { cookies }: SessionReading,
  why: Readonly<Record<string, string>> = {},
): Outcome {
  return redirect(signInPageFor(visit, addressOf(visit, link), why), cookies)
}

/** The URL of the page of the link. */
const addressOf = ({ urls }: Visit, { provider, requestText, returnTarget }: AskedLink): string => {
  const params = { request: requestText ?? undefined, callbackUrl: returnTarget }
  return linkPageAddress(urls.mount, provider.id, params)
}

/** Whether the user has an account there already. A store that cannot list accounts does not say so. */
const hasAccountAt = async ({ config }: Visit, { id }: ResolvedProvider, userId: string): Promise<boolean> =>
  (await (await config.users()).waysOf(userId))?.includes(id) ?? false

async function purposeOf(visit: Visit, { provider, asked }: AskedLink, userId: string): Promise<LinkPurpose> {
  if (!(await hasAccountAt(visit, provider, userId))) return 'link'
  return asked === null ? 'connected' : 'permission'
}

/** What the application has configured stays. Plain OAuth has no parameter for it (OpenID Connect Core 1.0 §3.1.2.1). */
const letsChoose = (provider: ResolvedProvider): boolean =>
  provider.type === 'oidc' && configuredParameter(provider, 'prompt') === undefined

const RECENT = RecentSignInRequired.type

const NO_ACCOUNTS = 'No list of accounts is kept here. It needs an adapter that lists and removes accounts.'

const publicAccount = pick<LinkedAccount, keyof LinkedAccount>('id', 'provider', 'name', 'type', 'scope', 'isOnlyWayIn')

export const getAccounts = lists(NO_ACCOUNTS, async (caller) => ({
  accounts: (await carryOut(listAccounts, caller, [])).map(publicAccount),
}))

export const postUnlinkAccount = changes(NO_ACCOUNTS, async (caller, { id }) => {
  await carryOut(unlinkAccount, caller, [requiredText(id, 'Say which account to remove: `id`.')])
  return { body: { unlinked: true }, says: 'account' }
})

/** The accounts of the visitor at providers, and those that they can add. */
export async function accountsPart(caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const { config } = visit
  const providers = [...config.providers.values()].filter((each) => isLinkable(each, config))
  const accounts = await ifKept(() => carryOut(listAccounts, caller, []))
  if (accounts === null || (providers.length === 0 && accounts.length === 0)) return null
  const others = providers.filter(({ id }) => accounts.every(({ provider }) => provider !== id))
  return {
    title: pageText('account.accounts'),
    none: pageText('account.accounts.none'),
    items: accounts.map(({ id, name, isOnlyWayIn }) => ({
      name,
      facts: isOnlyWayIn ? [pageText('account.onlyWay')] : [],
      actions: isOnlyWayIn
        ? []
        : [
            asking(
              pageText('account.accounts.question', { provider: name }),
              sends(visit, 'accounts/unlink', pageText('account.accounts.unlink'), { id }),
            ),
          ],
    })),
    actions: others.map(({ id, name }) => leadsTo(visit, `link/${id}`, pageText('link.submit', { provider: name }))),
  }
}

/** The input of the page that asks before an account is added. */
interface LinkPageInput
  extends Pick<
    LinkView,
    'providerName' | 'action' | 'userName' | 'purpose' | 'request' | 'csrfToken' | 'callbackUrl' | 'insecure'
  > {
  /** What the provider is asked for beside the usual (RFC 6749 §3.3); null for nothing. */
  readonly scope: string | null
  /** Whether the provider lets the person choose an account when it is asked to. */
  readonly letsChoose: boolean
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** The host of the page. It comes from the configuration or a trusted origin, never from a header. */
  readonly host?: string | undefined
}

/** The page that asks before an account at a provider is added to the signed-in user. It only asks. */
export function linkPage(input: LinkPageInput): LinkView {
  const { scope, letsChoose, error, host = null, ...form } = input
  const { providerName, purpose, callbackUrl } = form
  return {
    page: 'link',
    status: 200,
    title: pageText(TITLES[purpose], { provider: providerName }),
    message: linkMessage(error, { providerName, letsChoose }),
    ...form,
    host,
    scope: scope?.split(' ').filter(Boolean) ?? [],
    choosesAccount: letsChoose && isOfAnotherUser(error),
    backUrl: webUrlOf(callbackUrl),
  }
}

const TITLES: Readonly<Record<LinkPurpose, TextKey>> = {
  link: 'link.title',
  connected: 'link.title',
  permission: 'link.titlePermission',
}
