import type { BodyFields } from '../../kernel/body.js'
import { isSafeMethod } from '../../kernel/csrf.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { MissingAdapter, RequestRefused } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { linkPageAddress, linkPath } from '../../kernel/return-target.js'
import { anything } from '../../kernel/shape.js'
import { scopeShape } from '../../sessions/session.js'
import type { Config, ServiceKey } from '../../sign-in/config.js'
import { mappedTarget } from '../../sign-in/find-return-target.js'
import { happened } from '../../sign-in/happened.js'
import {
  type Asked,
  type Caller,
  type Operation,
  optional,
  REMOVAL,
  type RecentSignIn,
  refuseSignedOut,
  sentBy,
} from '../../sign-in/operation.js'
import { noProvider, refererOf } from '../../sign-in/sign-in-form.js'
import { userDigest } from '../../users/signed-in-user.js'
import type { RemovalOptions } from '../../users/ways-in.js'
import type { AccountReference, LinkedAccount, UserAccounts } from './user-accounts.js'

/** What a link asks the provider for, and where it leads. */
export interface LinkOptions {
  /** What the provider is asked for beside its configured scope: words with one blank between them (RFC 6749 §3.3). */
  readonly scope?: string | undefined
  /** Where the visitor goes afterwards: a path or URL, which the `redirect` callback maps. */
  readonly redirectTo?: string | undefined
}

/** What a link asks for, as far as the options do not say it. */
export interface WantedLink extends LinkOptions {
  /** Whether a refresh token is wanted. */
  readonly offline?: boolean
}

export const checkLinkOptions = optional(object<LinkOptions>({ scope: scopeShape, redirectTo: anything }))

const linkUrl: Operation<[provider: string, options?: LinkOptions], string> = {
  parameters: ['provider', 'options'],
  check: checkLinkOptions,
  forAnybody: true,
  run: (asked, provider, options = {}) => linkPageOf(asked, provider, options),
}

/** How code of the application begins to add an account: at the page that asks, or as the form of this page does. */
export async function beginLink(
  caller: Caller,
  provider: string,
  options: LinkOptions,
): Promise<{ readonly url: string } | { readonly target: string; readonly fields: BodyFields }> {
  const { basePath } = caller.config
  const asked = { ...caller, reading: await caller.read() }
  if (isSafeMethod(caller)) return { url: await linkPageOf(asked, provider, options) }
  return { target: linkPath(basePath, provider), fields: await fieldsOf(asked, provider, options) }
}

/** URL of the page where the visitor adds an account, or allows more there. */
export async function linkPageOf(
  asked: Pick<Asked, 'config' | 'context' | 'reading'>,
  provider: string,
  wanted: WantedLink,
) {
  const fields = await fieldsOf(asked, provider, wanted)
  return asked.context.origin + linkPageAddress(asked.config.basePath, provider, fields)
}

/**
 * The fields of the form of that page. A link with a scope, or for a refresh token, is for the signed-in user only.
 *
 * @throws {RequestRefused} 404 if there is no such provider; 401 if the link needs a user and nobody is signed in
 */
async function fieldsOf(
  { config, context, reading }: Pick<Asked, 'config' | 'context' | 'reading'>,
  provider: string,
  { scope, offline = false, redirectTo }: WantedLink,
): Promise<{ readonly request: string } | { readonly callbackUrl: string }> {
  const { providers, secrets, now, strippedPrefix } = config
  if (!providers.has(provider)) throw noProvider(provider, providers)
  const page = redirectTo ?? refererOf(context.header('referer'), context.origin, `${strippedPrefix}/`)
  const callbackUrl = await mappedTarget(page, config, context.origin)
  if (scope === undefined && !offline) return { callbackUrl }
  const id = reading.userId ?? refuseSignedOut()
  const asked = { provider, userDigest: userDigest({ id }), scope: scope ?? null, offline, callbackUrl }
  return { request: createLinkRequests(secrets, now).make(asked) }
}

/** A request that a user adds an account at a provider, or allows more there. */
export interface LinkRequest {
  /** Id of the provider. */
  readonly provider: string
  /** The user it is for, as `userDigest` gives it. Nobody else may use the request. */
  readonly userDigest: string
  /** What the provider is to be asked for, beside its configured scope (RFC 6749 §3.3); null for nothing more. */
  readonly scope: string | null
  /** Whether the provider is to be asked for a refresh token, in the way that `tokenFacts` say. */
  readonly offline: boolean
  /** Return target. Whoever reads the request lets the `redirect` callback map it. */
  readonly callbackUrl: string
}

const LIFETIME_SECONDS = 60 * 60

/**
 * Makes and reads link requests, which are parameters of URLs. They are encrypted: nobody else can make one, so nobody can send a
 * user to a provider with a scope of their own choice.
 *
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 */
export function createLinkRequests(secrets: readonly string[], now: () => number) {
  const encryption = createValueEncryption(secrets, 'link-request', now)
  return {
    /** The request as a text that is safe in a query. It is accepted for an hour. */
    make: ({ provider, userDigest, scope, offline, callbackUrl }: LinkRequest): string =>
      encryption.encrypt({ provider, userDigest, scope, offline, callbackUrl }, LIFETIME_SECONDS),
    /** The request; null if it was not made here, has expired, or is damaged. */
    read: (text: string): LinkRequest | null => parse(encryption.decrypt(text)),
  }
}

function parse(value: unknown): LinkRequest | null {
  if (typeof value !== 'object' || value === null) return null
  const { provider, userDigest, scope, offline, callbackUrl } = value as Record<string, unknown>
  if (typeof provider !== 'string' || typeof userDigest !== 'string' || typeof callbackUrl !== 'string') return null
  if (scope !== null && typeof scope !== 'string') return null
  return { provider, userDigest, scope, offline: offline === true, callbackUrl }
}

/** The accounts of users at providers, loaded when they are first needed. Null if there is no store. */
export const ACCOUNTS: ServiceKey<(() => Promise<UserAccounts>) | null> = { name: 'accounts' }

/** What the application knows about a user who removes an account, and asks of them. */
export interface UnlinkOptions extends RecentSignIn, RemovalOptions {}

export const listAccounts: Operation<[], readonly LinkedAccount[]> = {
  parameters: [],
  requires: accountsOf,
  run: async (asked) => (await accountsOf(asked.config)()).list(asked.userId()),
}

export const unlinkAccount: Operation<[account: AccountReference, options?: UnlinkOptions], LinkedAccount> = {
  parameters: ['account', 'options'],
  check: optional(object<UnlinkOptions>(REMOVAL)),
  requires: accountsOf,
  changes: true,
  recent: 'to remove an account',
  bothFactors: true,
  async run(asked, reference, { signsInOtherwise = false } = {}) {
    const accounts = await accountsOf(asked.config)()
    const { context } = asked
    const account = await accounts.unlink(asked.userId(), known(reference), {
      signsInOtherwise,
      source: context.source,
    })
    await happened.changed(sentBy(asked), {
      kind: 'account-unlinked',
      userId: asked.userId(),
      provider: account.provider,
    })
    return account
  },
}

function accountsOf({ services }: Config) {
  const accounts = services.get(ACCOUNTS)
  if (accounts) return accounts
  throw new MissingAdapter('Accounts are kept by an adapter, and the configuration has none.')
}

/** What a form brought may be anything. */
function known(reference: unknown): AccountReference {
  if (typeof reference === 'string') return reference
  const { provider, providerAccountId } = Object(reference) as Record<string, unknown>
  if (typeof provider === 'string' && typeof providerAccountId === 'string') return { provider, providerAccountId }
  throw new RequestRefused(404, 'There is no such account.')
}

export const accountOperations = { listAccounts, unlinkAccount, linkUrl }
