import type { RequestListener } from 'node:http'
import { Provider } from 'oidc-provider'
import { BACK_CHANNEL_COUNT } from '../harness/back-channel.js'
import { emailOf, nameOf, personIn } from '../harness/people.js'

/** An application that people may sign in to. */
export interface Client {
  readonly id: string
  readonly secret: string
  readonly redirectUri: string
}

/** What the provider is told. */
export interface IdentityProviderOptions {
  readonly issuer: string
  readonly clients: readonly Client[]
}

/**
 * An OpenID provider where everybody is signed in and agrees without being asked: the cookie `person` says who it is. {@link BACK_CHANNEL_COUNT} tells
 * how many requests did not come from browsers.
 */
export function serve(_origin: string, { issuer, clients }: IdentityProviderOptions): RequestListener {
  const provider = new Provider(issuer, {
    clients: clients.map(({ id, secret, redirectUri }) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri],
    })),
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: nameOf(Number(id)),
        email: emailOf(Number(id)),
        email_verified: true,
      }),
    }),
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // Puts name and address into the ID token, so that nobody has to ask for them again.
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
