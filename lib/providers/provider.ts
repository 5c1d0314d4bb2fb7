import type { SimpleWebAuthnOptions } from './local-config.js'
import type {
  ResolvedCredentialsProvider,
  ResolvedEmailProvider,
  ResolvedWebAuthnProvider,
} from './resolve-local-provider.js'
import type { ResolvedOAuthProvider } from './resolve-oauth-provider.js'
import type { ProviderType } from './user.js'

export * from './provider-object.js'
export type { ResolvedCredentialsProvider, ResolvedEmailProvider, ResolvedOAuthProvider, ResolvedWebAuthnProvider }

/** A resolved provider. */
export type ResolvedProvider =
  | ResolvedOAuthProvider
  | ResolvedCredentialsProvider
  | ResolvedEmailProvider
  | ResolvedWebAuthnProvider

/** Whether a provider is one of OAuth or OpenID Connect. */
export const isOAuthProvider = (provider: ResolvedProvider | null | undefined): provider is ResolvedOAuthProvider =>
  provider?.type === 'oauth' || provider?.type === 'oidc'

/** Whether a list or map of providers has one of this type. */
export const hasProvider = (
  providers: { values(): Iterable<{ readonly type: ProviderType }> },
  type: ProviderType,
): boolean => Array.from(providers.values()).some((provider) => provider.type === type)

/**
 * Whether people must unlock a passkey, by a PIN, a finger or a face: then it is two factors.
 *
 * @param asked `userVerification`, as the configuration asks browsers for it
 * @param verifying what answers are verified with
 */
export const demandsUnlocking = (asked: unknown, verifying: SimpleWebAuthnOptions): boolean =>
  asked === 'required' || (verifying['requireUserVerification'] ?? true) !== false

/** The first e-mail provider that can send other mails than sign-in links; null for none. */
export const noticeSenderIn = (providers: readonly ResolvedProvider[]): ResolvedEmailProvider | null =>
  providers.find(
    (provider): provider is ResolvedEmailProvider =>
      provider.type === 'email' && Boolean(provider.source.sendNotification),
  ) ?? null
