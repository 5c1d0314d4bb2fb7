import type { JSONWebKeySet } from 'jose'
import { oauthProvider } from '../oauth-provider.js'
import { accountId } from '../profile-mapping.js'
import type { UserinfoRequestContext } from '../provider.js'
import { readJsonObject } from '../request-hooks.js'

/** What EVE Online says of the signed-in user; the members that are read. */
export interface EVEOnlineProfile {
  /** `CHARACTER:EVE:` and the id of the character. */
  sub: string
  name?: string
  /** Changes when the character goes to another account. */
  owner?: string
}

/**
 * Sign-in with EVE Online.
 *
 * A character is the account, and characters can be sold: compare `owner` of the profile if that matters to you.
 *
 * The profile is the access token, whose signature is verified. The profile has no e-mail address.
 *
 * @see https://developers.eveonline.com/docs/services/sso/
 */
export default oauthProvider<EVEOnlineProfile>({
  id: 'eveonline',
  name: 'EVE Online',
  authorization: 'https://login.eveonline.com/v2/oauth/authorize',
  scopes: ['publicData'],
  token: 'https://login.eveonline.com/v2/oauth/token',
  userinfo: { url: 'https://login.eveonline.com/oauth/jwks', request: readAccessToken },
  profile: (profile) => {
    const character = /^CHARACTER:EVE:(\d+)$/.exec(profile.sub)?.[1]
    return {
      id: accountId(character),
      name: profile.name ?? null,
      email: null,
      image: `https://images.evetech.net/characters/${character}/portrait?size=128`,
    }
  },
  tokenFacts: { revocation: { url: 'https://login.eveonline.com/v2/oauth/revoke' } },
  style: { brandColor: '#000000' },
})

/** The claims of the access token, a JWT for this client and for EVE Online. */
async function readAccessToken({ tokens, provider, fetch: send = fetch }: UserinfoRequestContext<EVEOnlineProfile>) {
  const { createLocalJWKSet, jwtVerify } = await import('jose')
  const answer = await send('https://login.eveonline.com/oauth/jwks', { headers: { accept: 'application/json' } })
  const keys = await readJsonObject(answer, 'key set')
  const { payload } = await jwtVerify(
    String(tokens.access_token),
    createLocalJWKSet(keys as unknown as JSONWebKeySet),
    { issuer: ['https://login.eveonline.com', 'login.eveonline.com'], audience: 'EVE Online', requiredClaims: ['exp'] },
  )
  if (![payload.aud].flat().includes(provider.clientId)) throw new Error('The access token is for another client.')
  return payload as unknown as EVEOnlineProfile
}
