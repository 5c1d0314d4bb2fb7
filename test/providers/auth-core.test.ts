import { readdirSync } from 'node:fs'
import { Auth, skipCSRFCheck, customFetch as theirCustomFetch } from '@auth/core'
import Apple from '@auth/core/providers/apple'
import TheirCredentials from '@auth/core/providers/credentials'
import TheirGitHub from '@auth/core/providers/github'
import TheirEntra from '@auth/core/providers/microsoft-entra-id'
import { expect } from 'chai'
import { SignJWT } from 'jose'
import OurKeycloak from '../../lib/providers/catalogue/keycloak.js'
import { oauthProvider } from '../../lib/providers/oauth-provider.js'
import type { Provider } from '../../lib/providers/provider.js'
import { userinfoRequest } from '../../lib/providers/request-hooks.js'
import { resolveProvider } from '../../lib/providers/resolve-provider.js'
import { FakeProvider, fakeKey } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, quiet, resolved } from '../support/oauth-driver.js'

const client = { clientId: 'client', clientSecret: 'secret' }
/** Kinds that are not OAuth, and helpers that stand in the same folder. */
const OTHERS =
  /^(credentials|email|index|nodemailer|forwardemail|loops|mailgun|passkey|postmark|provider-types|resend|sendgrid|webauthn|oauth)\.js$/

describe('provider objects of @auth/core', () => {
  const folder = new URL('../../node_modules/@auth/core/providers/', import.meta.url)
  const files = readdirSync(folder).filter((file) => file.endsWith('.js') && !OTHERS.test(file))

  it(`resolve unmodified, all ${files.length} of them`, async () => {
    const findings: string[] = []
    for (const file of files) {
      const module = (await import(new URL(file, folder).href)) as { default: (options: object) => object }
      const options = {
        ...client,
        issuer: 'https://issuer.example',
        wellKnown: undefined,
        domain: 'd.example',
        tenantId: 't',
        subDomain: 's',
        region: 'eu',
      }
      const made = { ...module.default({ ...options }) } as Provider
      const { findings: found } = resolveProvider(made, {
        environment: () => ({}),
        redirectProxyUrl: undefined,
        logger: quiet,
      })
      findings.push(...found.map(({ message }) => `${file}: ${message}`))
    }
    expect(findings).to.deep.equal([])
    expect(files.length).to.be.greaterThan(70)
  })

  it('have no member that the start does not know, in whatever kind', async () => {
    const findings: string[] = []
    const all = readdirSync(folder).filter((file) => /^(?!index|provider-types|oauth\.).*\.js$/.test(file))
    for (const file of all) {
      const { default: make } = (await import(new URL(file, folder).href)) as { default: (options: object) => Provider }
      const isOAuth = files.includes(file)
      const isMail = /^(email|nodemailer|forwardemail|loops|mailgun|postmark|resend|sendgrid)/.test(file)
      const options = {
        ...(isOAuth && { ...client, issuer: 'https://issuer.example', tenantId: 't', [theirCustomFetch]: fetch }),
        ...(isMail && { apiKey: 'key', server: 'smtp://mail.example', from: 'a@app.example', transactionalId: 'x' }),
        ...(file === 'credentials.js' && { authorize: () => null }),
      }
      const { findings: found } = resolveProvider(make(options), {
        environment: () => ({}),
        redirectProxyUrl: undefined,
        logger: quiet,
      })
      findings.push(...found.map(({ message }) => `${file}: ${message}`))
    }
    expect(findings).to.deep.equal([])
    expect(all.length).to.be.greaterThan(100)
  })

  it('stand in the list bare, with their values from the environment', () => {
    expect(resolved(TheirGitHub, client)).to.include({
      id: 'github',
      clientId: 'client',
      issuer: 'https://github.com/login/oauth',
    })
    expect(resolved(TheirEntra, { ...client, issuer: 'https://login.microsoftonline.com/t/v2.0' }).issuer).to.equal(
      'https://login.microsoftonline.com/t/v2.0',
    )
  })

  it('may be credentials', async () => {
    const made = TheirCredentials({ credentials: { name: {} }, authorize: () => ({ id: '7' }) })
    const { provider } = resolveProvider(made, {
      environment: () => ({}),
      redirectProxyUrl: undefined,
      logger: quiet,
    })
    expect(provider).to.deep.include({ id: 'credentials', fields: { name: {} } })
    if (provider?.type !== 'credentials') throw new Error('not credentials')
    expect(await provider.authorize({}, new Request('https://app.example'))).to.deep.equal({ id: '7' })
  })

  /** Answers for a provider whose endpoints are not reachable from here. */
  const standIn = async (issuer: string, claims: Record<string, unknown>, nonce: () => string | null) => {
    const key = await fakeKey('key-1')
    const answers: Record<string, () => unknown> = {
      'openid-configuration': () => ({
        issuer,
        authorization_endpoint: 'https://op.example/authorize',
        token_endpoint: 'https://op.example/token',
        jwks_uri: 'https://op.example/keys',
      }),
      keys: () => ({ keys: [key.jwk] }),
      token: async () => {
        const sent = nonce()
        const token = new SignJWT({ aud: 'client', ...claims, ...(sent ? { nonce: sent } : {}) }).setProtectedHeader({
          alg: 'RS256',
          kid: 'key-1',
        })
        return {
          access_token: 'a',
          token_type: 'bearer',
          id_token: await token.setIssuedAt().setExpirationTime('5m').sign(key.privateKey),
        }
      },
    }
    return (async (url: string) =>
      Response.json(await answers[new URL(url).pathname.split('/').at(-1) ?? '']?.())) as typeof fetch
  }
  const signIn = async (
    make: (fetch: typeof globalThis.fetch) => Provider,
    issuer: string,
    claims: Record<string, unknown>,
    params: Record<string, string> = {},
  ) => {
    let nonce: string | null = null
    const provider = resolved(make(await standIn(issuer, claims, () => nonce)))
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    nonce = url.searchParams.get('nonce')
    const answer = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '', ...params })
    return identityOf(await driver.finish(provider, jar, answer))
  }

  it('of Microsoft sign in accounts of any directory, each checked against its own issuer', async () => {
    const template = 'https://login.microsoftonline.com/{tenantid}/v2.0'
    const tid = '7f3c1a52-9d0e-4b8a-a6c4-2e5d18f0b9c7'
    const entra = (fetch: typeof globalThis.fetch) =>
      TheirEntra({
        ...client,
        [theirCustomFetch]: fetch,
        profile: (profile) => ({ id: profile.sub, name: profile.name }),
      })
    const claims = { sub: 'person', name: 'Jonas', tid, iss: template.replace('{tenantid}', tid) }
    expect((await signIn(entra, template, claims)).user.name).to.equal('Jonas')
    await failure(
      signIn(entra, template, { ...claims, tid: '00000000-9d0e-4b8a-a6c4-2e5d18f0b9c7' }),
      'CallbackRouteError',
      /tenant/,
    )
  })

  it('of Apple give the name from the posted user field, and never its address', async () => {
    const issuer = 'https://appleid.apple.com'
    const apple = (fetch: typeof globalThis.fetch) => Apple({ ...client, [theirCustomFetch]: fetch })
    const claims = { sub: '001473.4b2f', email: 'relay@privaterelay.appleid.com', iss: issuer }
    const user = JSON.stringify({ name: { firstName: 'Rosa', lastName: 'Lindqvist' }, email: 'victim@example.com' })
    const first = await signIn(apple, issuer, claims, { user })
    expect(first.user).to.include({ name: 'Rosa Lindqvist', email: 'relay@privaterelay.appleid.com' })
    const later = await signIn(apple, issuer, claims)
    expect(later.user.name).to.equal('relay@privaterelay.appleid.com')
    const broken = await signIn(apple, issuer, claims, { user: '{"name":' })
    expect(broken.user.email).to.equal('relay@privaterelay.appleid.com')
  })
})

describe('our provider objects inside @auth/core', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  /** A whole sign-in with Auth.js; gives the session it ends with. */
  const signIn = async (provider: object) => {
    const config: Parameters<typeof Auth>[1] = {
      providers: [provider as never],
      secret: 'a-secret-of-at-least-thirty-two-bytes',
      trustHost: true,
      basePath: '/auth',
      skipCSRFCheck,
    }
    const cookies = new Map<string, string>()
    const send = async (path: string, init: RequestInit = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await Auth(
        new Request(`http://app.test/auth/${path}`, { ...init, headers: { cookie, ...init.headers } }),
        config,
      )
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        const [name = '', value = ''] = pair.split(/=(.*)/)
        cookies.set(name, value)
      }
      return response
    }
    const { id } = provider as { id: string }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const started = await send(`signin/${id}`, { method: 'POST', headers, body: '' })
    const answer = fake.authorize(started.headers.get('location') ?? '')
    // Auth.js compares it with a stand-in where plain OAuth has no issuer.
    if ((provider as { type: string }).type === 'oauth') answer.delete('iss')
    await send(`callback/${id}?${answer}`)
    return (await send('session')).json() as Promise<{ user?: { name?: string } } | null>
  }

  it('sign in with OpenID Connect', async () => {
    const session = await signIn(OurKeycloak({ ...client, issuer: fake.issuer }))
    expect(session?.user?.name).to.equal('Ada')
  })

  it('sign in with plain OAuth and hooks of ours', async () => {
    fake.faults.idToken = () => undefined
    const Acme = oauthProvider<{ sub: string; name: string }>({
      id: 'acme',
      name: 'Acme',
      authorization: `${fake.issuer}/authorize`,
      scopes: ['read'],
      token: `${fake.issuer}/token`,
      userinfo: { url: `${fake.issuer}/userinfo`, request: userinfoRequest({ url: `${fake.issuer}/userinfo` }) },
      profile: ({ sub, name }) => ({ id: sub, name: `${name} of Acme` }),
    })
    expect((await signIn(Acme(client)))?.user?.name).to.equal('Ada of Acme')
  })
})
