import { expect } from 'chai'
import Auth0 from '../../../lib/providers/catalogue/auth0.js'
import Authentik from '../../../lib/providers/catalogue/authentik.js'
import AzureADB2C from '../../../lib/providers/catalogue/azure-ad-b2c.js'
import Frontegg from '../../../lib/providers/catalogue/frontegg.js'
import GitLab from '../../../lib/providers/catalogue/gitlab.js'
import Mastodon from '../../../lib/providers/catalogue/mastodon.js'
import MicrosoftEntraID from '../../../lib/providers/catalogue/microsoft-entra-id.js'
import Notion from '../../../lib/providers/catalogue/notion.js'
import Salesforce from '../../../lib/providers/catalogue/salesforce.js'
import { customFetch, type Provider, type ResolvedOAuthProvider } from '../../../lib/providers/provider.js'
import { CookieJar, failure, OAuthDriver, resolved } from '../../support/oauth-driver.js'

const CLIENT = { clientId: 'client', clientSecret: 'secret' }
const TENANT = '11111111-2222-3333-4444-555555555555'
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'

describe('an issuer', () => {
  describe('of the environment', () => {
    const issuer = 'https://id.example.com/application/o/app'
    const withOption = (entry: object, environment: string = issuer) =>
      resolved(entry as Provider, { ...CLIENT, issuer: environment })

    it('is read as that of an option, also where the entry is called with other options', () => {
      const untyped = Authentik as unknown as (options: object) => Provider
      expect(resolved(untyped({ scope: 'openid' }), { ...CLIENT, issuer }).issuer).to.equal(`${issuer}/`)
      const entra = 'https://login.microsoftonline.com/x/v2.0'
      expect(withOption(MicrosoftEntraID({ profilePhotoSize: 0 }), `${entra}/`).issuer).to.equal(entra)
      const gitlab = withOption(GitLab({ scope: 'read_user' }), 'https://git.example.com')
      expect(gitlab.token.url?.href).to.equal('https://git.example.com/oauth/token')
    })

    it('makes the endpoints of an entry that computes them', () => {
      for (const entry of [Frontegg, Mastodon] as unknown as ((options: object) => Provider)[]) {
        const { authorization } = withOption(entry({ clientId: 'client' }), 'https://id.example.com')
        expect(authorization.url?.origin).to.equal('https://id.example.com')
      }
    })

    it('does not replace an option, and not what the application changed', () => {
      const given = { ...CLIENT, issuer: 'https://own.example.com/' }
      expect(withOption(Auth0(given)).issuer).to.equal(given.issuer)
      expect(withOption(Auth0({ ...CLIENT, domain: 'own.example.com' })).issuer).to.equal(given.issuer)
      expect(withOption({ ...Salesforce({ ...CLIENT }), issuer: 'https://own.example.com' }).issuer).to.equal(
        'https://own.example.com',
      )
      const renamed = { ...Salesforce({ loginUrl: 'test.salesforce.com' }), id: 'sandbox' }
      expect(withOption(renamed)).to.include({ id: 'sandbox', issuer: 'https://test.salesforce.com' })
    })
  })

  it('may be a host that was written with its scheme', () => {
    for (const domain of ['acme.eu.auth0.com', 'https://acme.eu.auth0.com', 'https://acme.eu.auth0.com/'])
      expect(resolved(Auth0({ ...CLIENT, domain })).issuer).to.equal('https://acme.eu.auth0.com/')
    expect(resolved(Authentik({ ...CLIENT, domain: 'https://id.example', slug: 'web' })).issuer).to.equal(
      'https://id.example/application/o/web/',
    )
    expect(resolved(Salesforce({ ...CLIENT, loginUrl: 'https://test.salesforce.com/' })).issuer).to.equal(
      'https://test.salesforce.com',
    )
    const b2c = { ...CLIENT, tenant: 'contoso.onmicrosoft.com', tenantId: TENANT, policy: 'B2C_1_in' }
    expect(resolved(AzureADB2C(b2c)).issuer).to.equal(`https://contoso.b2clogin.com/${TENANT}/v2.0/`)
    const custom = { ...b2c, tenant: 'contoso', customDomain: 'https://login.contoso.com' }
    expect(resolved(AzureADB2C(custom)).discoveryUrl?.href).to.match(/^https:\/\/login\.contoso\.com\/contoso\.on/)
  })

  it('of Azure AD B2C is enough if it names the user flow', () => {
    const issuer = `https://contoso.b2clogin.com/tfp/${TENANT}/b2c_1_in/v2.0/`
    const { discoveryUrl } = resolved(AzureADB2C({ ...CLIENT, issuer }))
    expect(discoveryUrl?.href).to.equal(`${issuer}.well-known/openid-configuration`)
    expect(resolved(AzureADB2C, { ...CLIENT, issuer }).issuer).to.equal(issuer)
    expect(() =>
      resolved((AzureADB2C as unknown as (options: object) => Provider)({ ...CLIENT, issuer, policy: 'x' })),
    ).to.throw(/tenant/)
  })

  describe('of Microsoft Entra ID', () => {
    const begin = (options: object, announced: string) => {
      const asked: string[] = []
      const issuer = `https://login.microsoftonline.com/${announced}/v2.0`
      const provider = resolved(
        MicrosoftEntraID({
          ...CLIENT,
          ...options,
          [customFetch]: (async (input: string) => {
            asked.push(input)
            return Response.json({
              issuer,
              authorization_endpoint: `${issuer}/authorize`,
              token_endpoint: `${issuer}/token`,
              jwks_uri: `${issuer}/keys`,
            })
          }) as typeof fetch,
        }),
      ) as ResolvedOAuthProvider
      return { asked, started: new OAuthDriver().start(provider, new CookieJar()) }
    }
    const named = (tenant: string) => ({ issuer: `https://login.microsoftonline.com/${tenant}/v2.0` })

    it('may name the directory by a domain, or personal accounts: the metadata have its id', async () => {
      for (const [tenant, id] of [
        ['consumers', PERSONAL],
        ['contoso.onmicrosoft.com', TENANT],
      ] as const) {
        for (const options of [named(tenant), { tenantId: tenant }]) {
          const { asked, started } = begin(options, id)
          expect((await started).pathname).to.equal(`/${id}/v2.0/authorize`)
          expect(asked[0]).to.equal(`${named(tenant).issuer}/.well-known/openid-configuration`)
        }
      }
    })

    it('by its id is that id alone, and another host is another issuer', async () => {
      await failure(begin(named(TENANT), PERSONAL).started, 'OAuthSignInError', /letter by letter/)
      await failure(begin(named('contoso.com'), 'fabrikam.com').started, 'OAuthSignInError', /letter by letter/)
      await begin(named(TENANT), TENANT).started
    })
  })

  it('Notion: the redirectUri of Auth.js is taken, and has no effect', () => {
    const { authorization } = resolved(Notion({ ...CLIENT, redirectUri: 'http://localhost:3000/auth/callback/notion' }))
    expect(JSON.stringify(authorization.params)).not.to.include('redirect')
  })
})
