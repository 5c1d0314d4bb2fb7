import type { JWTPayload } from 'jose'
import type { TokenSet } from '../providers/provider.js'

/** What came of a refresh at a provider. */
export type RefreshAnswer =
  | {
      readonly kind: 'tokens'
      readonly tokens: TokenSet & { readonly access_token: string }
      /** Why a new ID token was left out, for the log. Absent if there was none, or it was verified. */
      readonly fault?: Error
    }
  /** The provider does not accept the refresh token any more (RFC 6749 §5.2, `invalid_grant`). */
  | { readonly kind: 'refused'; readonly fault: Error }
  | {
      readonly kind: 'failed'
      /** Whether no answer came, so that it is not known whether the provider has used the refresh token up. */
      readonly isLost: boolean
      /**
       * Whether the provider refused the request itself, in words that do not say that it is because of the refresh token. It
       * probably is, if the provider says so again and again.
       */
      readonly isDoubtful?: boolean
      /** What the provider says about the next try. */
      readonly retryAfterSeconds?: number
      /** For the log: it has no token in it. */
      readonly fault: Error
    }

/** A token, and which kind it is of. */
export interface TokenToRevoke {
  readonly token: string
  readonly kind: 'access' | 'refresh'
}

/** The calls about tokens of one provider, over the back channel. The flow of the provider makes them. */
export interface TokenCalls {
  /** Scope that every sign-in asks for; what an answer without a scope has granted (RFC 6749 §5.1). */
  readonly configuredScope: string
  /** False if the provider has a form of the token request that is known for codes only. */
  readonly canRefresh: boolean
  /**
   * Whether a refresh whose answer was lost may be sent again with the same refresh token. Otherwise the provider may take
   * that for theft, and end all tokens of the user.
   */
  readonly mayRepeat: boolean
  /** Which of its tokens are stored: as `account()` of the provider says. */
  readonly storedTokens: (tokens: TokenSet) => TokenSet | undefined | void
  /** Whether the provider documents where tokens are revoked, and how. */
  readonly canRevoke: boolean
  /** Reads the metadata of the provider before anybody waits for `refresh`. Keys of the provider are not read yet. */
  prepare(): Promise<void>
  /**
   * Refreshes tokens (RFC 6749 §6).
   *
   * @param idToken the stored ID token, whose issuer and subject a new one must have (OpenID Connect Core 1.0 §12.2)
   * @param accountId of the account whose tokens they are
   */
  refresh(refreshToken: string, idToken: string | null, accountId: string): Promise<RefreshAnswer>
  /**
   * Revokes tokens at the provider (RFC 7009, or as the provider documents it). Does nothing if the provider has no
   * endpoint for it.
   *
   * @throws an error without a token in it
   */
  revoke(tokens: readonly TokenToRevoke[]): Promise<void>
}

/** The words of a scope. Some providers put commas between them in their answers, and some give a list. */
export const scopeWords = (scope: unknown): string[] =>
  (Array.isArray(scope) ? scope.map(String) : typeof scope === 'string' ? scope.split(/[\s,]+/) : []).filter(
    (word) => word !== '',
  )

/**
 * Whether a grant has all that is asked for.
 *
 * @param granted of the account; a grant that the provider did not name is the configured scope
 */
export function coversScope(asked: string | undefined, granted: unknown, configured: string): boolean {
  const given = scopeWords(granted)
  const known = new Set(given.length > 0 ? given : scopeWords(configured))
  return scopeWords(asked).every((word) => known.has(word))
}

/**
 * The claims of a JWT, without a look at its signature, its issuer or its age: for a stored ID token, which was verified when it
 * came, and for one that is verified after this. Empty if there is none, or it is no JWT.
 */
export async function unverifiedClaims(jwt: string | null): Promise<JWTPayload> {
  const { decodeJwt } = await import('jose')
  try {
    return decodeJwt(jwt ?? '')
  } catch {
    return {}
  }
}
