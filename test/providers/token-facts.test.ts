import { expect } from 'chai'
import GitHub from '../../lib/providers/catalogue/github.js'
import Google from '../../lib/providers/catalogue/google.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import Okta from '../../lib/providers/catalogue/okta.js'
import { oauthProvider, oidcProvider } from '../../lib/providers/oauth-provider.js'
import type { Provider, ProviderEnvironment, TokenFacts } from '../../lib/providers/provider.js'
import { resolveProvider } from '../../lib/providers/resolve-provider.js'
import { index as listOfProviders } from '../../scripts/provider-docs.js'
import { catalogueIds, entrySource, importEntry, providerFacts, SAMPLE_OPTIONS } from '../support/catalogue.js'
import { quiet, resolved } from '../support/oauth-driver.js'

/** The providers whose documentation was read for this. */
const READ = `apple atlassian auth0 authentik bitbucket cognito discord dropbox facebook fusionauth github gitlab google
hubspot kakao keycloak line linkedin logto microsoft-entra-id notion okta ory-hydra salesforce slack spotify twitch twitter
zitadel zoom`.split(/\s+/)

/** Domains of a provider that only its revocation endpoint is on. */
const FURTHER_DOMAINS: Readonly<Record<string, string>> = { google: 'googleapis.com' }

const CLIENT = { clientId: 'client', clientSecret: 'secret' }

const entryOf = async (id: string) => resolved((await importEntry(id))({ ...CLIENT, ...SAMPLE_OPTIONS[id] }))

/** The facts of an entry, as they are in its file. */
const factsOf = async (id: string): Promise<TokenFacts | undefined> =>
  (await importEntry(id))({ ...CLIENT, ...SAMPLE_OPTIONS[id] }).tokenFacts

const withEnvironment = (provider: unknown, environment: ProviderEnvironment) =>
  resolveProvider(provider as Provider, { environment: () => environment, redirectProxyUrl: undefined, logger: quiet })

const board = (tokenFacts: TokenFacts, issuer?: string) =>
  oauthProvider({
    id: 'board',
    name: 'Board',
    authorization: 'https://board.example/authorize',
    token: 'https://board.example/token',
    userinfo: 'https://board.example/me',
    ...(issuer === undefined ? {} : { issuer }),
    tokenFacts,
  })({ ...CLIENT })

const findingsOf = (provider: unknown) => withEnvironment(provider, {}).findings.map(({ message }) => message)

/** `example.com` of `a.b.example.com`: who owns a host, near enough for this. */
const owner = (host: string): string => host.split('.').slice(-2).join('.')

/** All values inside of an object, with their paths. */
function* leaves(value: unknown, path = ''): Generator<readonly [path: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return yield [path, value]
  const members = Object.entries(value)
  if (members.length === 0) yield [path, {}]
  for (const [name, member] of members) yield* leaves(member, `${path}.${name}`)
}

describe('what a provider does with tokens after the sign-in', () => {
  it('is known of the thirty whose documentation was read, and each names the page', async () => {
    expect(READ).to.have.length(30)
    for (const id of READ) {
      expect((await factsOf(id))?.refresh, id).to.not.equal(undefined)
      expect(entrySource(id), id).to.match(/\/\*\* @see https:\/\/\S+ \*\/\s+tokenFacts: \{/)
    }
  })

  it('is absent where nothing is known: no value stands for a guess', async () => {
    for (const id of catalogueIds) {
      const facts = await factsOf(id)
      if (facts === undefined) continue
      for (const [path, value] of leaves(facts, id)) {
        if (path.endsWith('.endSession.returnParam') && value === null) continue
        expect(['string', 'number', 'boolean'], path).to.include(typeof value)
        expect(value, path).to.not.equal('')
      }
      if (facts.graceSeconds !== undefined) expect(facts.rotates, id).to.be.oneOf([true, 'setting'])
      if (facts.refresh === 'never') expect(facts.rotates, id).to.equal(undefined)
    }
  })

  it('sends tokens and browsers to nobody but the provider, over https', async () => {
    for (const id of catalogueIds) {
      const { tokenFacts, issuer, authorization, token, userinfo } = await entryOf(id)
      const known = [issuer, authorization.url, token.url, userinfo.url, providerFacts.get(id)?.docs]
      const owners = [...known.filter((url) => url).map((url) => owner(new URL(String(url)).host)), FURTHER_DOMAINS[id]]
      for (const { url } of [tokenFacts.revocation, tokenFacts.endSession].filter((endpoint) => !!endpoint)) {
        if (url === 'metadata') continue
        expect(url.protocol, id).to.equal('https:')
        expect(owners, `${id}: ${url}`).to.include(owner(url.host))
        expect(url.href, id).to.not.match(/[{}]|%7B/i)
      }
    }
  })

  it('names the metadata only where there are metadata', async () => {
    for (const id of catalogueIds) {
      const { tokenFacts, discoveryUrl } = await entryOf(id)
      const isInMetadata = [tokenFacts.revocation, tokenFacts.endSession].some((each) => each?.url === 'metadata')
      if (isInMetadata) expect(discoveryUrl, id).to.be.instanceOf(URL)
    }
  })

  it('is frozen, as all of a resolved provider is', async () => {
    const { tokenFacts } = await entryOf('notion')
    expect(tokenFacts).to.be.frozen
    expect(tokenFacts.revocation).to.be.frozen
  })

  it('is nothing for a provider that says nothing', () => {
    const plain = oidcProvider({ id: 'acme', name: 'Acme', issuer: 'https://id.acme.example' })({ ...CLIENT })
    expect(resolved(plain).tokenFacts).to.deep.equal({ revocation: undefined, endSession: undefined })
  })

  it('tells that an endpoint does not exist apart from that it is not known', () => {
    const { tokenFacts } = resolved(board({ revocation: 'none' }))
    expect(tokenFacts.revocation).to.equal(null)
    expect(tokenFacts.endSession).to.equal(undefined)
  })

  it('has the standard where the metadata have the endpoint', () => {
    const { tokenFacts } = resolved(Keycloak({ ...CLIENT, issuer: 'https://id.example.com/realms/main' }))
    expect(tokenFacts.revocation).to.deep.equal({ url: 'metadata', dialect: 'rfc7009' })
    expect(tokenFacts.endSession).to.include({ url: 'metadata', returnParam: 'post_logout_redirect_uri' })
  })
})

describe('the URLs of token facts', () => {
  it('have the client id, escaped, and the server of the options', () => {
    const revocationOf = (provider: unknown) => resolved(provider as Provider).tokenFacts.revocation?.url
    expect(String(revocationOf(GitHub({ clientId: 'a/b?c', clientSecret: 'secret' })))).to.equal(
      'https://api.github.com/applications/a%2Fb%3Fc/token',
    )
    expect(String(revocationOf(GitHub({ ...CLIENT, enterprise: { baseUrl: 'https://git.example.com/' } })))).to.equal(
      'https://git.example.com/api/v3/applications/client/token',
    )
  })

  it('have the issuer, also where it is from the environment, without a second slash', async () => {
    const Auth0 = await importEntry('auth0')
    const { provider } = withEnvironment(Auth0, { ...CLIENT, issuer: 'https://acme.eu.auth0.com/' })
    if (provider?.type !== 'oidc') return expect.fail('it is not resolved')
    expect(String(provider.tokenFacts.endSession?.url)).to.equal('https://acme.eu.auth0.com/v2/logout')
  })

  it('keep a dollar sign of the issuer: it is no pattern', () => {
    const { tokenFacts } = resolved(board({ revocation: { url: '{issuer}/revoke' } }, 'https://id.example.com/$&'))
    expect(String(tokenFacts.revocation?.url)).to.equal('https://id.example.com/$&/revoke')
  })

  it('are refused at the start if tokens would cross a network unencrypted', () => {
    expect(
      findingsOf(board({ revocation: { url: 'http://board.example/revoke', dialect: 'rfc7009' } })).join(),
    ).to.match(
      /tokenFacts\.revocation\.url is http:\/\/board\.example, and tokens must not cross a network unencrypted/,
    )
    expect(findingsOf(board({ endSession: { url: '/logout', returnParam: 'to' } })).join()).to.match(
      /tokenFacts\.endSession\.url is not an absolute URL/,
    )
  })

  it('add no finding of their own where the issuer is missing', async () => {
    const Auth0 = await importEntry('auth0')
    const { findings } = withEnvironment(Auth0, CLIENT)
    expect(findings.map(({ message }) => message).join())
      .to.include('issuer')
      .and.not.include('tokenFacts')
  })
})

describe('token facts as an option', () => {
  it('say how an administrator has set the provider, and leave the rest of the entry', () => {
    const { tokenFacts } = resolved(
      Okta({ ...CLIENT, issuer: 'https://acme.okta.com', tokenFacts: { rotates: true, graceSeconds: 30 } }),
    )
    expect(tokenFacts).to.include({ rotates: true, graceSeconds: 30 })
    expect(tokenFacts.refresh).to.deep.equal({ scope: 'offline_access' })
  })

  it('are findings at the start, and no exception, if they are of another kind', () => {
    const wrong: readonly unknown[] = [
      null,
      'metadata',
      [],
      { revocation: null },
      { revocation: 5 },
      { revocation: { dialect: 'rfc7009', url: 5 } },
      { endSession: 'everywhere' },
      { endSession: { url: {}, returnParam: 'to' } },
    ]
    for (const tokenFacts of wrong) {
      const message = findingsOf(Google({ ...CLIENT, tokenFacts: tokenFacts as TokenFacts })).join()
      expect(message, JSON.stringify(tokenFacts)).to.include('tokenFacts')
    }
  })

  it('are checked by name and value', () => {
    const with_ = (tokenFacts: unknown) =>
      findingsOf(Google({ ...CLIENT, tokenFacts: tokenFacts as TokenFacts })).join()
    expect(with_({ rotate: true })).to.match(/tokenFacts\.rotate.*rotates/)
    expect(with_({ revocation: { url: 'https://a.example', dialect: 'rfc7008' } })).to.include('rfc7009')
    expect(with_({ accessTokenSeconds: 3_600_000_000_000 })).to.include('tokenFacts.accessTokenSeconds')
    expect(with_({ refresh: 'offline' })).to.include('tokenFacts.refresh')
  })
})

describe('the table of tokens in the list of providers', () => {
  let rows: Map<string, string[]>

  before(async () => {
    const [, table = ''] = (await listOfProviders()).split('## Tokens after the sign-in')
    rows = new Map(
      [...table.matchAll(/^\| \[.*?\]\(([\w-]+)\.md\) \| (.*) \|$/gm)].map(([, id = '', cells = '']) => [
        id,
        cells.split(' | '),
      ]),
    )
  })

  it('has a row for each provider with facts, and says of every other fact that it is not documented or not known', async () => {
    for (const id of catalogueIds) {
      const facts = await factsOf(id)
      expect(rows.has(id), id).to.equal(facts !== undefined)
      if (facts === undefined) continue
      const shown = [facts.refresh, facts.rotates, facts.accessTokenSeconds, facts.revocation, facts.endSession]
      const cells = rows.get(id) ?? []
      expect(cells, id).to.have.length(shown.length)
      shown.forEach((fact, index) => {
        // Without a refresh token, there is nothing to rotate.
        if (facts.refresh === 'never' && index === 1) return
        const unknown = READ.includes(id) || id === 'azure-ad' ? 'not documented' : 'not known'
        expect(cells[index] === unknown, `${id}, ${index}`).to.equal(fact === undefined)
      })
    }
  })

  it('says what the data say', () => {
    expect(rows.get('google')).to.deep.equal([
      '`access_type=offline`, `prompt=consent`',
      'not documented',
      'not documented',
      'own form',
      'no',
    ])
    expect(rows.get('gitlab')?.slice(0, 4)).to.deep.equal(['always', 'yes', '2 hours', 'RFC 7009'])
    expect(rows.get('microsoft-entra-id')).to.deep.equal([
      '`offline_access`',
      'yes; the old one still works',
      '1 hour',
      'no',
      'OpenID Connect',
    ])
    expect(rows.get('atlassian')?.[1]).to.equal('yes; the old one works for 10 minutes')
    expect(rows.get('auth0')?.slice(3)).to.deep.equal(['RFC 7009', 'own form; back-channel'])
    expect(rows.get('box')?.[3]).to.equal('an endpoint, form not known')
    expect(rows.get('lichess')?.slice(0, 3)).to.deep.equal(['never', 'no refresh token', '1 year'])
  })
})
