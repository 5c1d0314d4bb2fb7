import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'

/** What Kakao says of the signed-in user; the members that are read. */
export interface KakaoProfile {
  id: number
  kakao_account?: {
    name?: string
    profile?: { nickname?: string; profile_image_url?: string; thumbnail_image_url?: string }
    email?: string
    is_email_valid?: boolean
    is_email_verified?: boolean
  }
}

/**
 * Sign-in with Kakao.
 *
 * The address must be switched on in the console, and may need a verified business. A client without a secret sets
 * `client: { token_endpoint_auth_method: "none" }`.
 *
 * @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api
 */
export default oauthProvider<KakaoProfile>({
  id: 'kakao',
  name: 'Kakao',
  issuer: 'https://kauth.kakao.com',
  authorization: 'https://kauth.kakao.com/oauth/authorize',
  scopes: ['profile_nickname', 'profile_image', 'account_email'],
  scopeSeparator: ',',
  token: 'https://kauth.kakao.com/oauth/token',
  userinfo: 'https://kapi.kakao.com/v2/user/me',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  // An address that was verified once may have become another account's since: then it is no more valid.
  verifiedEmail: ({ kakao_account: account }) =>
    account?.is_email_valid === true && account.is_email_verified === true ? account.email : null,
  profile: ({ id, kakao_account: account }) => ({
    id: accountId(id),
    name: firstText(account?.profile?.nickname, account?.name),
    email: usableEmail(account?.email, account?.is_email_valid !== false && account?.is_email_verified),
    image: firstText(account?.profile?.profile_image_url, account?.profile?.thumbnail_image_url),
  }),
  /** @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api */
  tokenFacts: {
    refresh: 'always',
    endSession: { url: 'https://kauth.kakao.com/oauth/logout', returnParam: 'logout_redirect_uri' },
  },
  style: { brandColor: '#fee500' },
})
