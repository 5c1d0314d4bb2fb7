import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'

/** What Tumblr says of the signed-in user; the members that are read. */
export interface TumblrProfile {
  response: {
    user: {
      name: string
      blogs: { uuid?: string; primary?: boolean; avatar?: { url: string }[] }[]
    }
  }
}

/**
 * Sign-in with Tumblr.
 *
 * Tumblr names people by their blog, and the name can change, so accounts are known by the `uuid` of the primary
 * blog, which stays when the blog is renamed. The profile has no e-mail address.
 *
 * @see https://www.tumblr.com/docs/en/api/v2
 */
export default oauthProvider<TumblrProfile>({
  id: 'tumblr',
  name: 'Tumblr',
  authorization: 'https://www.tumblr.com/oauth2/authorize',
  scopes: ['basic'],
  token: 'https://api.tumblr.com/v2/oauth2/token',
  userinfo: 'https://api.tumblr.com/v2/user/info',
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: ({ response: { user } }) => {
    const blog = user.blogs.find(({ primary }) => primary)
    return { id: accountId(blog?.uuid), name: user.name, email: null, image: blog?.avatar?.[0]?.url ?? null }
  },
  tokenFacts: { refresh: { scope: 'offline_access' } },
  style: { brandColor: '#36465d' },
})
