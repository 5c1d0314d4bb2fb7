import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { type AuthConfig, setEnvDefaults } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Resend from '../../lib/providers/mail/resend.js'
import { createLog, SECRET, testConfig } from '../support/app.js'

describe('the environment', () => {
  it('gives secrets newest first: _3, _2, _1, then AUTH_SECRET', () => {
    expect(
      readEnv({ AUTH_SECRET: 'a', AUTH_SECRET_1: 'b', AUTH_SECRET_2: 'c', AUTH_SECRET_3: 'd' }).secrets,
    ).to.deep.equal(['d', 'c', 'b', 'a'])
    expect(readEnv({ AUTH_SECRET_2: 'c', AUTH_SECRET: 'a' }).secrets).to.deep.equal(['c', 'a'])
    expect(readEnv({ AUTH_SECRET: '' }).secrets).to.deep.equal([])
  })

  it('knows the older aliases, and prefers the newer names', () => {
    const older = { NEXTAUTH_SECRET: 'old', NEXTAUTH_URL: 'https://old.example' }
    expect(readEnv(older)).to.deep.include({ secrets: ['old'], url: 'https://old.example' })
    expect(readEnv({ ...older, AUTH_SECRET: 'new', AUTH_URL: 'https://new.example' })).to.deep.include({
      secrets: ['new'],
      url: 'https://new.example',
    })
  })

  it('says whether the Host header is trusted: the first of AUTH_URL, AUTH_TRUST_HOST, VERCEL, CF_PAGES decides', () => {
    for (const [variables, expected] of [
      [{}, undefined],
      [{ AUTH_TRUST_HOST: 'true' }, true],
      [{ AUTH_TRUST_HOST: '1' }, true],
      [{ AUTH_TRUST_HOST: 'false' }, false],
      [{ AUTH_TRUST_HOST: 'FALSE' }, false],
      [{ AUTH_TRUST_HOST: '0' }, false],
      [{ AUTH_TRUST_HOST: '' }, undefined],
      [{ AUTH_TRUST_HOST: 'false', VERCEL: '1' }, false],
      [{ VERCEL: '1' }, true],
      [{ CF_PAGES: '1' }, true],
      [{ AUTH_URL: 'https://app.example', AUTH_TRUST_HOST: 'false' }, true],
    ] as const) {
      expect(readEnv(variables as Record<string, string>).trustHost, JSON.stringify(variables)).to.equal(expected)
    }
  })

  it('names the variables of a provider after its id', () => {
    const env = readEnv({
      AUTH_MICROSOFT_ENTRA_ID_ID: 'id',
      AUTH_MICROSOFT_ENTRA_ID_SECRET: 'secret',
      AUTH_MICROSOFT_ENTRA_ID_ISSUER: 'https://issuer.example',
      AUTH_RESEND_KEY: 'key',
    })
    expect(env.provider('microsoft-entra-id')).to.include({
      clientId: 'id',
      clientSecret: 'secret',
      issuer: 'https://issuer.example',
    })
    expect(env.provider('resend').apiKey).to.equal('key')
    expect(env.provider('nobody')).to.deep.equal({
      clientId: undefined,
      clientSecret: undefined,
      issuer: undefined,
      apiKey: undefined,
    })
  })

  it('stands behind what the configuration says', () => {
    const surroundings = (variables: Record<string, string>) => ({ env: readEnv(variables), now: Date.now })
    const { secret: _, ...unset } = testConfig()
    expect(() => resolveConfig(unset, surroundings({ AUTH_SECRET: SECRET }))).to.not.throw()
    expect(() => resolveConfig({ ...unset, secret: '' }, surroundings({ AUTH_SECRET: SECRET }))).to.not.throw()
    const config = resolveConfig(
      testConfig({ url: 'https://own.example/x', trustHost: false }),
      surroundings({ AUTH_URL: 'https://env.example/y', AUTH_TRUST_HOST: 'true' }),
    )
    expect([config.origin.url?.origin, config.origin.trustHost, config.basePath]).to.deep.equal([
      'https://own.example',
      false,
      '/x',
    ])
  })

  it('trusts the Host header outside production by default', () => {
    const trust = (variables: Record<string, string>) =>
      resolveConfig(testConfig(), { env: readEnv(variables), now: Date.now }).origin.trustHost
    expect(trust({})).to.equal(true)
    expect(trust({ NODE_ENV: 'development' })).to.equal(true)
    expect(trust({ NODE_ENV: 'production' })).to.equal(false)
    expect(trust({ AUTH_TRUST_HOST: 'false' })).to.equal(false)
  })

  it('gives basePath from the path of AUTH_URL, unless the app has one', () => {
    const basePath = (more: Partial<AuthConfig>, AUTH_URL: string) =>
      resolveConfig(testConfig(more), { env: readEnv({ AUTH_URL }), now: Date.now }).basePath
    expect(basePath({}, 'https://app.example/api/auth/')).to.equal('/api/auth')
    expect(basePath({}, 'https://app.example')).to.equal('/auth')
    expect(basePath({ basePath: '/own' }, 'https://app.example/api/auth')).to.equal('/own')
  })
})

describe('setEnvDefaults', () => {
  const filled = (variables: Record<string, string>, config: AuthConfig = { providers: [] }, quiet?: boolean) => {
    const log = createLog()
    config.logger = log.logger
    setEnvDefaults(variables, config, quiet)
    const { logger: _, ...members } = config
    return { members, warnings: log.warnings }
  }

  it('fills what is missing, in place', () => {
    const variables = {
      AUTH_SECRET: 'a',
      AUTH_SECRET_1: 'b',
      AUTH_URL: 'https://app.example/api/auth',
      AUTH_REDIRECT_PROXY_URL: 'https://p.example/auth',
    }
    expect(filled(variables).members).to.deep.equal({
      providers: [],
      secret: ['b', 'a'],
      url: 'https://app.example/api/auth',
      redirectProxyUrl: 'https://p.example/auth',
      trustHost: true,
      basePath: '/api/auth',
    })
  })

  it('fills in what providers lack, in objects of its own', () => {
    const own = { ...GitHub({}), clientId: 'own' }
    const mail = Resend({ from: 'no-reply@app.example' })
    const bindings = { AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret', AUTH_RESEND_KEY: 'key', CACHE: new Map() }
    const config: AuthConfig = { providers: [GitHub, own, mail] }
    setEnvDefaults(bindings, config)
    const [called, kept, mailing] = config.providers as { clientId?: string; clientSecret?: string; apiKey?: string }[]
    expect(called).to.include({ id: 'github', clientId: 'id', clientSecret: 'secret' })
    expect(kept).to.include({ clientId: 'own', clientSecret: 'secret' })
    expect(mailing).to.include({ apiKey: 'key' })
    expect([own.clientSecret, mail.apiKey]).to.deep.equal([undefined, undefined])
    const { providers } = resolveConfig(testConfig({ providers: config.providers.slice(0, 1) }), {
      env: readEnv({}),
      now: Date.now,
    })
    expect(providers.get('github')).to.include({ clientId: 'id', clientSecret: 'secret' })
  })

  it('leaves what is there', () => {
    const config: AuthConfig = {
      providers: [],
      secret: 's',
      redirectProxyUrl: 'https://own.example',
      trustHost: false,
      basePath: '/own',
    }
    const variables = { AUTH_SECRET: 'a', AUTH_REDIRECT_PROXY_URL: 'https://p.example', AUTH_TRUST_HOST: '1' }
    expect(filled(variables, { ...config }).members).to.deep.equal(config)
  })

  it('warns if AUTH_URL has a path and basePath is set as well, unless the warning is switched off', () => {
    const variables = { AUTH_URL: 'https://app.example/api/auth' }
    expect(filled(variables, { providers: [], basePath: '/own' }).warnings).to.deep.equal([
      'env-url-basepath-redundant',
    ])
    expect(filled(variables, { providers: [], basePath: '/own' }, true).warnings).to.deep.equal([])
  })

  it('gives /auth and trust outside production when nothing is set', () => {
    expect(filled({}).members).to.include({ basePath: '/auth', trustHost: true })
    expect(filled({ NODE_ENV: 'production' }).members).to.include({ trustHost: false })
    const hosts = ['app.example']
    expect(filled({ NODE_ENV: 'production' }, { providers: [], hosts }).members).to.include({ trustHost: true })
    expect(filled({ AUTH_URL: 'not a url' }).members).to.include({ basePath: '/auth' })
  })
})
