import { expect } from 'chai'
import Auth0 from '../../lib/providers/catalogue/auth0.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Google from '../../lib/providers/catalogue/google.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import MicrosoftEntraID from '../../lib/providers/catalogue/microsoft-entra-id.js'
import type { Profile, ProviderEnvironment } from '../../lib/providers/provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

const client = { clientId: 'client', clientSecret: 'secret' }
const context = (answer: (url: string) => Response) => ({
  params: {},
  fetch: (async (url: string) => answer(url)) as typeof fetch,
})

describe('the providers that ship', () => {
  const entries = {
    google: [Google, client],
    github: [GitHub, client],
    keycloak: [Keycloak, { ...client, issuer: 'https://id.example.com/realms/main' }],
    auth0: [Auth0, { ...client, issuer: 'https://example-tenant.eu.auth0.com' }],
    'microsoft-entra-id': [MicrosoftEntraID, client],
  } as const
  for (const [id, [entry, environment]] of Object.entries(entries)) {
    it(`${id} works bare, with PKCE and state, and nonce where there is an ID token`, () => {
      const provider = resolved(entry, environment as ProviderEnvironment)
      expect(provider.id).to.equal(id)
      const expected = provider.type === 'oidc' ? ['pkce', 'state', 'nonce'] : ['pkce', 'state']
      expect([...provider.checks]).to.have.members(expected)
      expect(provider.style.brandColor).to.match(/^#[0-9a-f]{6}$/)
    })
  }

  it('map the claims of Google, Keycloak and Auth0', async () => {
    const samples: [keyof typeof entries, Profile, object][] = [
      [
        'google',
        {
          sub: '114730582219475663801',
          name: 'Mina Okafor',
          email: 'mina.okafor@example.com',
          email_verified: true,
          picture: 'https://lh3.example/a',
        },
        {
          id: '114730582219475663801',
          name: 'Mina Okafor',
          email: 'mina.okafor@example.com',
          image: 'https://lh3.example/a',
        },
      ],
      [
        'keycloak',
        { sub: 'f3a9c1e2', name: 'Ivan Petrov', preferred_username: 'ipetrov', email: 'ivan@example.com' },
        { id: 'f3a9c1e2', name: 'Ivan Petrov', email: 'ivan@example.com' },
      ],
      [
        'auth0',
        {
          sub: 'auth0|6538b1f0',
          nickname: 'h.tanaka',
          name: 'Haruto Tanaka',
          picture: 'https://s.example/a.png',
          email: 'h.tanaka@example.com',
        },
        {
          id: 'auth0|6538b1f0',
          name: 'Haruto Tanaka',
          email: 'h.tanaka@example.com',
          image: 'https://s.example/a.png',
        },
      ],
    ]
    for (const [id, profile, user] of samples) {
      const [entry, environment] = entries[id]
      expect(
        await resolved(entry, environment as ProviderEnvironment).profile(
          profile,
          {},
          context(() => new Response()),
        ),
      ).to.deep.equal(user)
    }
  })

  it('Auth0 takes a domain, completes the slash of its issuer, and passes its own options on', () => {
    const provider = resolved(
      Auth0({ ...client, domain: 'example.eu.auth0.com', audience: 'https://api.example', organization: 'org_1' }),
    )
    expect(provider.issuer).to.equal('https://example.eu.auth0.com/')
    expect(provider.discoveryUrl?.href).to.equal('https://example.eu.auth0.com/.well-known/openid-configuration')
    expect(provider.authorization.params).to.deep.include({
      audience: 'https://api.example',
      organization: 'org_1',
      scope: 'openid profile email',
    })
    expect(resolved(entries.auth0[0], entries.auth0[1]).issuer).to.equal('https://example-tenant.eu.auth0.com/')
  })

  it('Microsoft admits every directory only when neither options nor environment name one', () => {
    const directory = 'https://login.microsoftonline.com/7f3c1a52-9d0e-4b8a-a6c4-2e5d18f0b9c7/v2.0'
    expect(resolved(MicrosoftEntraID(client)).issuer).to.equal('https://login.microsoftonline.com/common/v2.0')
    expect(resolved(MicrosoftEntraID(client), { issuer: directory }).issuer).to.equal(directory)
    expect(resolved(MicrosoftEntraID, { ...client, issuer: `${directory}/` }).issuer).to.equal(directory)
    expect(resolved(MicrosoftEntraID({ ...client, issuer: `${directory}/` })).issuer).to.equal(directory)
  })

  it('Microsoft maps the claims, with the photo when there is one', async () => {
    const profile = { sub: 'qT1Z', tid: 't', name: 'Jonas Weber', email: 'jonas.weber@contoso.example' }
    const photo = context((url) => {
      expect(url).to.equal('https://graph.microsoft.com/v1.0/me/photos/48x48/$value')
      return new Response('jpeg')
    })
    const map = resolved(MicrosoftEntraID(client)).profile
    expect(await map(profile, { access_token: 'a' }, photo)).to.deep.equal({
      id: 'qT1Z',
      name: 'Jonas Weber',
      email: 'jonas.weber@contoso.example',
      image: `data:image/jpeg;base64,${btoa('jpeg')}`,
    })
    expect(
      await map(
        profile,
        { access_token: 'a' },
        context(() => new Response('', { status: 404 })),
      ),
    ).to.have.property('image', null)
    const broken = context(() => {
      throw new Error('down')
    })
    expect(await map(profile, { access_token: 'a' }, broken)).to.have.property('image', null)
    expect(
      await resolved(MicrosoftEntraID({ ...client, profilePhotoSize: 0 })).profile(
        profile,
        { access_token: 'a' },
        broken,
      ),
    ).to.have.property('image', null)
  })

  describe('GitHub', () => {
    const person = {
      login: 'ada-rivers',
      id: 90412377,
      avatar_url: 'https://avatars.example/u/90412377',
      name: null,
      email: 'shown@example.com',
    }
    const list = [
      { email: 'old@example.net', primary: false, verified: true, visibility: null },
      { email: 'Ada.Private@example.com', primary: true, verified: true, visibility: 'private' },
    ]
    const signIn = async (
      emails: Response,
      token: object = { access_token: 'a', token_type: 'bearer', scope: 'read:user,user:email' },
      iss?: string,
    ) => {
      const agents: (string | null)[] = []
      const answers: Record<string, () => Response> = {
        'https://github.com/login/oauth/access_token': () => Response.json(token),
        'https://api.github.com/user': () => Response.json(person),
        'https://api.github.com/user/emails': () => emails,
      }
      const { customFetch } = await import('../../lib/providers/provider.js')
      const provider = resolved(
        GitHub({
          ...client,
          [customFetch]: (async (url: string, init: RequestInit) => {
            agents.push(new Headers(init.headers).get('user-agent'))
            return answers[url]?.() ?? new Response('', { status: 404 })
          }) as typeof fetch,
        }),
      )
      const driver = new OAuthDriver()
      const jar = new CookieJar()
      const url = await driver.start(provider, jar)
      const params = new URLSearchParams({
        code: 'c',
        state: url.searchParams.get('state') ?? '',
        ...(iss ? { iss } : {}),
      })
      const identity = identityOf(await driver.finish(provider, jar, params))
      return { url, agents, identity }
    }

    it('gives the verified primary address, and names itself in every call', async () => {
      const { url, agents, identity } = await signIn(Response.json(list), undefined, 'https://github.com/login/oauth')
      expect(url.searchParams.get('scope')).to.equal('read:user user:email')
      expect(identity.user).to.include({
        name: 'ada-rivers',
        email: 'ada.private@example.com',
        image: person.avatar_url,
      })
      expect(identity.account.providerAccountId).to.equal('90412377')
      expect(agents).to.have.length(3)
      for (const agent of agents) expect(agent).to.match(/^latchkey/)
    })

    it('gives no address that is not verified, whatever the profile shows', async () => {
      const unverified = list.map((entry) => ({ ...entry, verified: !entry.primary }))
      expect((await signIn(Response.json(unverified))).identity.user.email).to.equal(null)
      expect(
        (await signIn(Response.json(list.map((entry) => ({ ...entry, verified: 'true' }))))).identity.user.email,
      ).to.equal(null)
      expect((await signIn(new Response('', { status: 404 }))).identity.user.email).to.equal(null)
      expect((await signIn(Response.json({ message: 'x' }))).identity.user.email).to.equal(null)
    })

    it('refuses the answer of another issuer', async () => {
      await failure(
        signIn(Response.json(list), undefined, 'https://evil.example'),
        'OAuthCallbackError',
        /another issuer/,
      )
    })

    it('takes bad_verification_code for a code that is no longer good', async () => {
      await failure(
        signIn(Response.json(list), { error: 'bad_verification_code' }),
        'OAuthCallbackError',
        /invalid_grant/,
      )
      await failure(
        signIn(Response.json(list), { error: 'incorrect_client_credentials' }),
        'CallbackRouteError',
        /incorrect_client_credentials/,
      )
    })

    it('may be an Enterprise Server', () => {
      const provider = resolved(GitHub({ ...client, enterprise: { baseUrl: 'https://git.example/' } }))
      expect(provider.issuer).to.equal('https://git.example/login/oauth')
      expect(provider.userinfo.url?.href).to.equal('https://git.example/api/v3/user')
    })
  })
})
