import { oauthProvider } from '../oauth-provider.js'
import { accountId, firstText, usableEmail } from '../profile-mapping.js'
import { userinfoEndpoint } from '../request-hooks.js'

/** What Mail.ru says of the signed-in user; the members that are read. */
export interface MailruProfile {
  id: string
  name?: string
  nickname?: string
  email?: string
  image?: string
}

/**
 * Sign-in with Mail.ru.
 *
 * @see https://id.vk.com/about/business/go/docs/ru/vkid/latest/oauth/oauth-mail/index
 */
export default oauthProvider<MailruProfile>({
  id: 'mailru',
  name: 'Mail.ru',
  authorization: 'https://oauth.mail.ru/login',
  scopes: ['userinfo'],
  token: 'https://oauth.mail.ru/token',
  userinfo: userinfoEndpoint({
    url: 'https://oauth.mail.ru/userinfo',
    accessToken: { parameter: 'access_token' },
  }),
  profile: (profile) => ({
    id: accountId(profile.id),
    name: firstText(profile.name, profile.nickname),
    email: usableEmail(profile.email),
    image: profile.image ?? null,
  }),
  style: { brandColor: '#005ff9' },
})
