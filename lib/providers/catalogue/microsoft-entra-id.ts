import { oidcProvider } from '../oauth-provider.js'
import { accountId, usableEmail } from '../profile-mapping.js'
import type { OpenIDProfile, ProfileContext, TokenSet } from '../provider.js'

/** Claims of Microsoft's ID token beyond those of OpenID Connect. */
export interface MicrosoftEntraIDProfile extends OpenIDProfile {
  /** The directory the account belongs to. */
  tid: string
  /** The account's id in its directory, the same for all applications. */
  oid?: string
}

/** Options of the Microsoft Entra ID provider. */
export interface MicrosoftEntraIDOptions {
  /** The directory whose accounts are admitted, a UUID or a domain of it; may be given in place of `issuer`. */
  tenantId?: string
  /** Width of the profile photo in pixels, 48 by default; 0 leaves it out. The photo is kept in the session, so keep it small. */
  profilePhotoSize?: 0 | 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648
}

/**
 * Sign-in with Microsoft Entra ID, formerly Azure AD.
 *
 * `issuer` names the directory, by its id or a domain of it: `https://login.microsoftonline.com/<directory id>/v2.0`. With
 * `consumers` in place of the id, personal accounts get in. Without an issuer, and with `common` and `organizations`, accounts of
 * every such directory get in. Their e-mail addresses are unverified.
 *
 * @see https://learn.microsoft.com/en-us/entra/identity-platform/quickstart-register-app
 */
export default oidcProvider<MicrosoftEntraIDProfile, MicrosoftEntraIDOptions>((options) => {
  const { issuer, tenantId, profilePhotoSize = 48 } = options
  return {
    id: 'microsoft-entra-id',
    name: 'Microsoft Entra ID',
    // A variable that is not set must not admit every directory.
    requires: 'tenantId' in options && !issuer ? { tenantId } : {},
    ...issuerMembers(tenantId ? `https://login.microsoftonline.com/${tenantId}/v2.0` : issuer?.replace(/\/$/, '')),
    fallbackIssuer: 'https://login.microsoftonline.com/common/v2.0',
    scopes: ['openid', 'profile', 'email', 'User.Read'],
    profile: async (profile, tokens, context) => ({
      id: accountId(profile.sub),
      name: profile.name ?? null,
      email: usableEmail(profile.email),
      image: profilePhotoSize === 0 ? null : await fetchPhoto(profilePhotoSize, tokens, context),
    }),
    /** @see https://learn.microsoft.com/en-us/entra/identity-platform/refresh-tokens */
    tokenFacts: {
      refresh: { scope: 'offline_access' },
      rotates: true,
      graceSeconds: Number.POSITIVE_INFINITY,
      // 60 to 90 minutes.
      accessTokenSeconds: 3600,
      revocation: 'none',
      endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true },
    },
    style: { brandColor: '#0072c6' },
  }
})

/**
 * A directory that is named by a domain, or by `consumers`, has another name in its metadata and tokens: its id. The metadata
 * say which one it is.
 */
function issuerMembers(issuer: string | undefined) {
  const [, host, tenant = ''] = /^(https:\/\/[^/]+\/)([^/]+)\/v2\.0$/.exec(issuer ?? '') ?? []
  const isOne = tenant === 'consumers' || tenant.includes('.')
  return isOne
    ? { issuer: `${host}{tenantid}/v2.0`, wellKnown: `${issuer}/.well-known/openid-configuration` }
    : { issuer }
}

/** The photo as a `data:` URL; null if there is none or the request fails: a sign-in is not refused for its photo. */
async function fetchPhoto(size: number, tokens: TokenSet, context: ProfileContext | undefined): Promise<string | null> {
  if (!context || !tokens.access_token) return null
  try {
    const answer = await context.fetch(`https://graph.microsoft.com/v1.0/me/photos/${size}x${size}/$value`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    if (!answer.ok) return null
    return `data:image/jpeg;base64,${Buffer.from(await answer.arrayBuffer()).toString('base64')}`
  } catch {
    return null
  }
}
