import { userDigest } from '../accounts/initiator.js'
import type { AccountReference, LinkedAccount, UserAccounts } from '../accounts/user-accounts.js'
import { checkCallOptions } from '../config/check-call-options.js'
import type { Config } from '../config/config.js'
import { createLinkRequests } from '../context/link-request.js'
import { MissingAdapter, RequestRefused } from '../errors.js'
import { linkPageAddress } from '../http/link-page.js'
import type { LogSource } from '../logger.js'
import { requireRecent } from '../sessions/recent-auth.js'
import { scopeShape } from '../sessions/scope.js'
import type { SessionReading } from '../sessions/session.js'
import { object } from '../shapes/object-shape.js'
import { anything, flag, seconds } from '../shapes/shape.js'
import { refuseSignedOut } from './own-sessions.js'
import { noProvider } from './sign-in-form.js'

/** What the application knows about a user who removes an account, and asks of them. */
export interface UnlinkOptions {
  /** Set it when this user has a sign-in method that the store does not know, for example a password. */
  readonly signsInOtherwise?: boolean
  /**
   * Seconds since the visitor last proved who they are, at most; `session.recentAuthAge` by default, also where it is
   * undefined: a quarter of an hour. With `Infinity` any time will do.
   */
  readonly maxAuthAge?: number
}

/** What a link asks the provider for, and where it leads. */
export interface LinkOptions {
  /** What the provider is asked for beside its configured scope: words with one blank between them (RFC 6749 §3.3). */
  readonly scope?: string | undefined
  /** Where the visitor goes afterwards: a path or URL, which the `redirect` callback maps. */
  readonly redirectTo?: string | undefined
}

const UNLINK_OPTIONS = object<UnlinkOptions>({
  signsInOtherwise: flag,
  maxAuthAge: seconds(1, { orInfinity: true }),
})

const LINK_OPTIONS = object<LinkOptions>({ scope: scopeShape, redirectTo: anything })

/** The reading of a request, as far as it says whose accounts are meant. */
type Owner = Pick<SessionReading, 'userId' | 'authenticatedAt'>

/** Whose account is removed, and where. */
interface Removal {
  readonly owner: Owner
  /** Public origin. */
  readonly origin: string
  /** Header of the request, for the language of the mail. */
  readonly acceptLanguage: string | undefined
  /** The request as it came, which lines of the log are about. */
  readonly source: LogSource | undefined
}

/**
 * @throws {RequestRefused} 401 if nobody is signed in: "signed out" must not look like "no accounts"
 * @throws {MissingAdapter} if no users are stored
 */
export async function listOwnAccounts(config: Config, { userId }: Owner): Promise<readonly LinkedAccount[]> {
  return requireAccounts(config).list(userId ?? refuseSignedOut())
}

/**
 * Removes an account of the visitor.
 *
 * @param reference what a form brought can be handed on as it is
 * @throws {RequestRefused} 401 if nobody is signed in, 404 if they have no such account, 409 if it is their last way in
 * @throws {RecentSignInRequired} if they must sign in again first
 * @throws {InvalidConfiguration} if an option is unknown or of a wrong type
 */
export async function unlinkOwnAccount(
  config: Config,
  { owner, origin, acceptLanguage, source }: Removal,
  reference: unknown,
  options: UnlinkOptions,
  call: string,
): Promise<LinkedAccount> {
  checkCallOptions(options, UNLINK_OPTIONS, call)
  const accounts = requireAccounts(config)
  const userId = owner.userId ?? refuseSignedOut()
  const { maxAuthAge, signsInOtherwise = false } = options
  requireRecent(owner, maxAuthAge ?? config.recentAuthAge, config.now, 'to remove an account')
  const meant = readReference(reference)
  if (meant === null) throw new RequestRefused(404, 'There is no such account.')
  const account = await accounts.unlink(userId, meant, { signsInOtherwise, source })
  const { provider } = account
  await config.notices?.send({ kind: 'account-unlinked', userId, provider, origin, acceptLanguage, source })
  return account
}

function readReference(reference: unknown): AccountReference | null {
  if (typeof reference === 'string') return reference
  if (typeof reference !== 'object' || reference === null) return null
  const { provider, providerAccountId } = reference as Record<string, unknown>
  return typeof provider === 'string' && typeof providerAccountId === 'string' ? { provider, providerAccountId } : null
}

/**
 * Path and query of the page where the visitor adds an account. With a scope it is for the signed-in user only.
 *
 * @param provider id
 * @param returnTarget where the visitor goes afterwards, as the `redirect` callback has mapped it
 * @throws {RequestRefused} 404 if there is no such provider; 401 if there is a scope and nobody is signed in
 */
export async function linkPagePath(
  config: Config,
  { userId }: LinkingUser,
  provider: string,
  wanted: WantedLink,
): Promise<string> {
  if (!config.providers.has(provider)) throw noProvider(provider, config.providers)
  return linkPageAddress(config.basePath, provider, await linkFields(config, { userId }, provider, wanted))
}

/** The fields of the form of that page. */
export async function linkFields(
  config: Config,
  { userId }: LinkingUser,
  provider: string,
  { scope, offline = false, returnTarget }: WantedLink,
): Promise<Readonly<Record<string, string>>> {
  if (!linkNeedsRequest(scope) && !offline) return { callbackUrl: returnTarget }
  const id = userId ?? refuseSignedOut()
  const requests = createLinkRequests(config.secrets, config.now)
  const asked = { provider, userDigest: userDigest({ id }), scope: scope ?? null, offline, callbackUrl: returnTarget }
  return { request: await requests.make(asked) }
}

/** The reading of a request, as far as it says for whom a link is. */
type LinkingUser = Pick<SessionReading, 'userId'>

/** What a link asks for. */
interface WantedLink {
  readonly scope: string | undefined
  /** Whether a refresh token is wanted. */
  readonly offline?: boolean
  readonly returnTarget: string
}

/** Whether a link is for the signed-in user only. */
export const linkNeedsRequest = (scope: string | undefined): boolean => scope !== undefined

/** @throws {InvalidConfiguration} if an option is unknown or of a wrong type */
export const checkLinkOptions = (options: LinkOptions, call: string): void =>
  checkCallOptions(options, LINK_OPTIONS, call)

function requireAccounts({ accounts }: Config): UserAccounts {
  if (accounts) return accounts
  throw new MissingAdapter('Accounts are kept by an adapter, and the configuration has none.')
}
