import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'
import type { ClientFacts } from '../provider.js'
import { tokenRequest, userinfoRequest } from '../request-hooks.js'

/** What WeChat says of the signed-in user; the members that are read. */
export interface WeChatProfile {
  openid: string
  unionid?: string
  nickname?: string
  headimgurl?: string
}

/** Options of the WeChat provider. */
export interface WeChatOptions {
  /** A website, where people scan a code, or an Official Account inside WeChat; `WebsiteApp` by default. */
  platformType?: 'WebsiteApp' | 'OfficialAccount'
}

/**
 * Sign-in with WeChat.
 *
 * The profile has `unionid` only if the app is bound to an account of the Open Platform. Bind it before the first
 * sign-in, because the ids of users change with it.
 *
 * Auth.js signs in at an Official Account by default; here that is `platformType: "OfficialAccount"`.
 *
 * The profile has no e-mail address.
 *
 * @see https://developers.weixin.qq.com/doc/oplatform/en/Website_App/WeChat_Login/Wechat_Login.html
 */
export default oauthProvider<WeChatProfile, WeChatOptions>(({ platformType = 'WebsiteApp' }) => {
  const isWebsite = platformType === 'WebsiteApp'
  return {
    id: 'wechat',
    name: 'WeChat',
    authorization: {
      url: `https://open.weixin.qq.com/connect/${isWebsite ? 'qrconnect' : 'oauth2/authorize'}#wechat_redirect`,
      params: { appid: ({ clientId }: ClientFacts) => clientId },
    },
    scopes: [isWebsite ? 'snsapi_login' : 'snsapi_userinfo'],
    token: {
      url: 'https://api.weixin.qq.com/sns/oauth2/access_token',
      request: tokenRequest({
        url: 'https://api.weixin.qq.com/sns/oauth2/access_token',
        send: 'query',
        parameters: ({ params, provider }) => ({
          appid: provider.clientId,
          secret: provider.clientSecret,
          code: params['code'],
          grant_type: 'authorization_code',
        }),
      }),
    },
    userinfo: {
      url: 'https://api.weixin.qq.com/sns/userinfo',
      request: userinfoRequest({
        url: ({ tokens }) => {
          const url = new URL('https://api.weixin.qq.com/sns/userinfo?lang=zh_CN')
          url.searchParams.set('openid', String(tokens['openid']))
          return url.href
        },
        accessToken: { parameter: 'access_token' },
      }),
    },
    checks: ['state'],
    profile: (profile) => ({
      id: accountId(profile.unionid ?? profile.openid),
      name: profile.nickname ?? null,
      email: null,
      image: profile.headimgurl ?? null,
    }),
    style: { brandColor: '#07c160' },
  }
})
