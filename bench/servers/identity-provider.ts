import type { RequestListener } from 'node:http'
import { Provider } from 'oidc-provider'
import { BACK_CHANNEL_COUNT, CLIENT, personIn, userOf } from '../people.js'

/**
 * An OpenID provider that shows no page: the cookie `person` has the number of the person, who is signed in and gives consent.
 * Its one client may have any redirect URI, since the applications start later and get any port.
 */
export function serve(origin: string): RequestListener {
  const provider = new Provider(origin, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [origin] }],
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...userOf(Number(id)), sub: id }) }),
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    // The ID token has the name and the address, so that no application requests them separately.
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of the provider'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const { session, client, provider } = oidc
      const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: client?.clientId ?? '' })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  })
  provider.Client.prototype.redirectUriAllowed = () => true
  const answer = provider.callback()
  let backChannel = 0
  return (req, res) => {
    const path = req.url?.split('?', 1)[0] ?? ''
    if (path === BACK_CHANNEL_COUNT) return void res.end(String(backChannel))
    if (path.startsWith('/interaction/')) {
      const accountId = String(personIn(/person=\d+/.exec(req.headers.cookie ?? '')?.[0]))
      return void provider.interactionFinished(req, res, { login: { accountId } })
    }
    if (!path.startsWith('/auth')) backChannel += 1
    answer(req, res)
  }
}
