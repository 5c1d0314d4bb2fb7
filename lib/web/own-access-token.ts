import type { AccessTokenRequest, AccessTokenResult } from '../account-tokens/access-token.js'
import { checkCallOptions } from '../config/check-call-options.js'
import type { Config } from '../config/config.js'
import { redirectTarget } from '../context/return-target.js'
import type { RequestContext } from '../http/request-context.js'
import type { CurrentReading } from '../sessions/current-session.js'
import { object } from '../shapes/object-shape.js'
import { anything, text } from '../shapes/shape.js'
import { linkPagePath } from './own-accounts.js'
import type { OwnRequest } from './own-sessions.js'
import { noProvider, refererOf } from './sign-in-form.js'

/** What an application asks of an access token, and where the user goes after a visit to the provider. */
export interface AccessTokenOptions extends AccessTokenRequest {
  /**
   * Where the user goes after they have been to the provider: a path or URL, which the `redirect` callback maps. By default
   * it is the page that the request came from.
   */
  readonly redirectTo?: string | undefined
}

const OPTIONS = object<AccessTokenOptions>({ scope: text, accountId: text, redirectTo: anything })

/**
 * An access token of the signed-in user of a request; null when nobody is signed in. A bearer token that is restricted to
 * a scope counts as nobody, unless a guard before has asked for its scope.
 *
 * @throws {RequestRefused} 404 when there is no such provider of OAuth or OpenID Connect
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 * @throws {MissingAdapter} when there is no adapter; {@link MissingAdapterMethods} when it cannot refresh tokens
 */
export async function getOwnAccessToken(
  { engine: { config }, context, read }: OwnRequest,
  provider: string,
  options: AccessTokenOptions,
  call: string,
): Promise<AccessTokenResult | null> {
  checkCallOptions(options, OPTIONS, call)
  const { settings } = config.providers.get(provider) ?? {}
  if (settings?.type !== 'oauth' && settings?.type !== 'oidc') throw noProvider(provider, config.providers)
  const reading = await read()
  if (reading.session === null) return null
  const { userId } = reading
  const { scope, accountId } = options
  const outcome =
    userId === null
      ? ({ status: 'reauthorize', reason: 'no-account' } as const)
      : await config.accountTokens.get(userId, provider, { scope, accountId }, context.source)
  if (outcome.status !== 'reauthorize') return outcome
  return { ...outcome, url: await linkUrl(config, context, { provider, options, reading }) }
}

/** The page where the user lets the application have more. The next token is to be refreshed without them. */
async function linkUrl(
  config: Config,
  context: RequestContext,
  { provider, options, reading }: { provider: string; options: AccessTokenOptions; reading: CurrentReading },
): Promise<string> {
  const { origin } = context
  const { redirectTo = refererOf(context.header('referer'), origin), scope } = options
  const returnTarget = await redirectTarget({ config, origin }, redirectTo)
  // A token that names no user leads to the sign-in page.
  const owner = { userId: reading.userId ?? '' }
  return origin + (await linkPagePath(config, owner, provider, { scope, offline: true, returnTarget }))
}
