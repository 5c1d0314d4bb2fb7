import { createPrivateKey, type KeyObject } from 'node:crypto'
import { oidcProvider } from '../oauth-provider.js'
import { accountId, firstText, fullName, usableEmail, userField } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Apple beyond those of OpenID Connect. */
export interface AppleProfile extends OpenIDProfile {
  /** Apple sends texts as well as booleans. */
  // biome-ignore lint/suspicious/noExplicitAny: the standard says boolean
  email_verified?: any
  is_private_email?: boolean | 'true' | 'false'
  /** The name, when somebody agrees for the first time. It is unsigned, and nothing else of that answer is used. */
  user?: { name?: { firstName?: string; lastName?: string } }
}

/** Options of the Apple provider: all three, or none of them and a `clientSecret` that the application makes itself. */
export type AppleOptions =
  | {
      /** Id of your team, ten characters. */
      teamId: string
      /** Id of the key. */
      keyId: string
      /** The key as Apple gave it. Its first and last line may be missing, and `\\n` may stand for the ends of its lines. */
      privateKey: string
    }
  | { teamId?: undefined; keyId?: undefined; privateKey?: undefined }

/**
 * Sign-in with Apple.
 *
 * The client secret is a short-lived token. Give `teamId`, `keyId` and `privateKey`, and Latchkey makes one for
 * each call; or make one yourself (Apple's limit is six months) and set it as `clientSecret`.
 *
 * Apple answers with a form posted from its own site, so the page must be on https, and a domain: Apple takes no
 * callback on localhost.
 *
 * Apple sends the name only at the first sign-in. The address may be a private one, from which Apple forwards mail.
 *
 * @see https://developer.apple.com/documentation/signinwithapplerestapi
 */
export default oidcProvider<AppleProfile, AppleOptions>(({ teamId, keyId, privateKey }) => {
  const key = privateKey ? readKey(privateKey) : undefined
  return {
    id: 'apple',
    name: 'Apple',
    issuer: 'https://appleid.apple.com',
    authorization: { params: { response_mode: 'form_post' } },
    scopes: ['openid', 'name', 'email'],
    client: { token_endpoint_auth_method: 'client_secret_post' },
    requires: teamId || keyId || privateKey ? { teamId, keyId, privateKey: key } : {},
    makeClientSecret: teamId && keyId && key ? signSecret({ teamId, keyId, key }) : undefined,
    completeProfile: (profile, _tokens, { params }) => ({
      ...profile,
      ...(userField(params['user']) as Pick<AppleProfile, 'user'>),
    }),
    profile: (profile) => ({
      id: accountId(profile.sub),
      name: firstText(
        fullName(profile.user?.name?.firstName, profile.user?.name?.lastName),
        profile.name,
        profile.email,
      ),
      email: usableEmail(profile.email, profile.email_verified),
      image: null,
    }),
    /** @see https://developer.apple.com/documentation/signinwithapplerestapi/revoke-tokens */
    tokenFacts: {
      refresh: 'always',
      accessTokenSeconds: 3600,
      revocation: { url: 'https://appleid.apple.com/auth/revoke', dialect: 'rfc7009' },
      endSession: 'none',
    },
    style: { brandColor: '#000000' },
  }
})

/** Makes the client secret: a token that proves possession of the team's key, for one call. */
function signSecret({ teamId, keyId, key }: { teamId: string; keyId: string; key: KeyObject }) {
  return async ({ clientId }: { readonly clientId: string }): Promise<string> => {
    const { SignJWT } = await import('jose')
    return new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience('https://appleid.apple.com')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key)
  }
}

/** The key of a `.p8` file, however an environment variable has kept its lines; undefined for anything else. */
function readKey(text: string): KeyObject | undefined {
  const base64 = text.replace(/-----(?:BEGIN|END) PRIVATE KEY-----|\\[rn]|\s/g, '')
  try {
    const key = createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    // The error of the parser may quote a part of the key. The configuration is refused, and says which option it is.
    return undefined
  }
}
