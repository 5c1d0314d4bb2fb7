import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'
import { userinfoRequest } from '../request-hooks.js'

/** What Yandex says of the signed-in user; the members that are read. */
export interface YandexProfile {
  id: string
  display_name?: string
  real_name?: string
  first_name?: string
  default_email?: string
  emails?: string[]
  default_avatar_id?: string
  is_avatar_empty?: boolean
}

/**
 * Sign-in with Yandex.
 *
 * A scope that is not switched on for the app fails the sign-in.
 *
 * @see https://yandex.com/dev/id/doc/en/
 */
export default oauthProvider<YandexProfile>({
  id: 'yandex',
  name: 'Yandex',
  authorization: 'https://oauth.yandex.com/authorize',
  scopes: ['login:info', 'login:email', 'login:avatar'],
  token: 'https://oauth.yandex.com/token',
  userinfo: {
    url: 'https://login.yandex.ru/info',
    request: userinfoRequest({
      url: 'https://login.yandex.ru/info?format=json',
      accessToken: { scheme: 'OAuth' },
    }),
  },
  profile: (profile) => ({
    id: accountId(profile.id),
    name: firstText(profile.display_name, profile.real_name, profile.first_name),
    email: usableEmail(firstText(profile.default_email, [profile.emails].flat()[0])),
    image:
      profile.default_avatar_id && profile.is_avatar_empty !== true
        ? `https://avatars.yandex.net/get-yapic/${profile.default_avatar_id}/islands-200`
        : null,
  }),
  tokenFacts: { revocation: { url: 'https://oauth.yandex.com/revoke_token' } },
  style: { brandColor: '#ffcc00' },
})
