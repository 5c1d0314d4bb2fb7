import { object } from '../../kernel/object-shape.js'
import { anything, text } from '../../kernel/shape.js'
import { isOAuthProvider } from '../../providers/provider.js'
import type { ServiceKey } from '../../sign-in/config.js'
import { type Asked, type Operation, optional } from '../../sign-in/operation.js'
import { noProvider } from '../../sign-in/sign-in-form.js'
import type { AccessTokenRequest, AccessTokenResult } from './access-token.js'
import type { AccountTokens } from './account-tokens.js'

/** What the tokens of accounts need of other features. */
interface AccountTokensService {
  readonly tokens: AccountTokens
  /** The page where a user allows more at a provider. */
  consentUrl(
    asked: Pick<Asked, 'config' | 'context' | 'reading'>,
    provider: string,
    wanted: { readonly scope: string | undefined; readonly redirectTo: string | undefined; readonly offline: true },
  ): Promise<string>
}

/** The tokens of accounts at providers. */
export const ACCOUNT_TOKENS: ServiceKey<AccountTokensService> = { name: 'account-tokens' }

/** What an application asks of an access token, and where the user goes after a visit to the provider. */
export interface AccessTokenOptions extends AccessTokenRequest {
  /**
   * Where the user goes after they have been to the provider: a path or URL, which the `redirect` callback maps. By default
   * it is the page that the request came from.
   */
  readonly redirectTo?: string | undefined
}

const getAccessToken: Operation<[provider: string, options?: AccessTokenOptions], AccessTokenResult | null> = {
  parameters: ['provider', 'options'],
  check: optional(object<AccessTokenOptions>({ scope: text, accountId: text, redirectTo: anything })),
  forAnybody: true,
  async run(asked, provider, options = {}) {
    const { config, context, reading } = asked
    const { tokens, consentUrl } = config.services.get(ACCOUNT_TOKENS)
    if (!isOAuthProvider(config.providers.get(provider))) throw noProvider(provider, config.providers)
    if (reading.session === null) return null
    const { userId } = reading
    const { scope, accountId, redirectTo } = options
    const outcome =
      userId === null
        ? ({ status: 'reauthorize', reason: 'no-account' } as const)
        : await tokens.get(userId, provider, { scope, accountId }, context.source)
    if (outcome.status !== 'reauthorize') return outcome
    // The next token is to be refreshed without the user. A session that names no user leads to the sign-in page.
    const signedIn = { ...asked, reading: { ...reading, userId: userId ?? '' } }
    return { ...outcome, url: await consentUrl(signedIn, provider, { scope, redirectTo, offline: true }) }
  },
}

export const accountTokenOperations = { getAccessToken }
