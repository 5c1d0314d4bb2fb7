import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { createSharedSecrets } from '../../lib/config/secrets.js'
import type { AuthConfig } from '../../lib/index.js'
import { WARNING_SENTENCES } from '../../lib/kernel/warning-sentences.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import { checkSessionCallback } from '../../lib/sessions/session-callback.js'
import { testConfig } from '../support/app.js'

type Warnings = Map<string, { fix?: unknown } | undefined>

const recorder = () => {
  const warnings: Warnings = new Map()
  const warn = (code: string, data?: unknown) => void warnings.set(code, data as { fix?: unknown })
  return { warnings, logger: { warn, error() {}, debug() {} } }
}

describe('a warning that has a remedy', () => {
  it('tells under `fix`, in whole sentences, what happens and what to do', async () => {
    const { warnings, logger } = recorder()
    const sharedSecrets = createSharedSecrets()
    const start = (options: Partial<AuthConfig>) =>
      resolveConfig(testConfig({ logger, ...options }), { env: readEnv({}), now: Date.now, sharedSecrets })
    const { deleteSessionsByUserId: _, ...adapter } = memoryAdapter() as Adapter
    start({ secret: 'abc' })
    start({ secret: 'abc', url: 'https://other.example' })
    start({
      adapter,
      providers: [
        GitHub({ clientId: 'id', clientSecret: 'secret' }),
        Email({ from: 'no-reply@app.example', sendVerificationRequest() {} }),
        Credentials({ authorize: () => null }),
      ],
      session: { strategy: 'database' },
    })
    await checkSessionCallback((() => ({ accountId: 7 })) as never, logger)({} as never)
    for (const code of [
      'weak-secret',
      'shared-secret',
      'sign-in-time-unknown',
      'unconfirmed-addresses',
      'session-without-user',
    ]) {
      expect([...warnings.keys()]).to.include(code)
      expect(warnings.get(code)?.fix, code).to.match(/^[A-Z].+\. .+\.$|^[A-Z].+, and .+\. .+$/)
      expect(warnings.get(code), code).to.not.have.property('cure')
    }
  })
})

describe('secrets that have no effect', () => {
  const reasonsFor = (options: Partial<AuthConfig>, variables: Record<string, string> = {}) => {
    const reasons: unknown[] = []
    const warn = (code: string, data?: unknown) => {
      if (code === 'unused-option') reasons.push((data as { reason: unknown }).reason)
    }
    const logger = { warn, error() {}, debug() {} }
    resolveConfig(testConfig({ logger, ...options }), { env: readEnv(variables), now: Date.now })
    return reasons.join('\n')
  }
  const [one, other] = ['one secret that is long enough for this', 'another secret that is long enough']

  it('are logged if a secret is there twice, as when a rotation began without the new secret', () => {
    expect(reasonsFor({ secret: [one, one] })).to.match(/^`secret` has one secret twice\./)
    expect(reasonsFor({ secret: undefined }, { AUTH_SECRET: one, AUTH_SECRET_1: one })).to.match(
      /^`AUTH_SECRET` has one secret twice/,
    )
    expect(reasonsFor({ secret: [one, other] })).to.equal('')
    expect(reasonsFor({ secret: [one, one] })).not.to.include(one)
  })

  it('are logged for variables that are not read', () => {
    const variables = { AUTH_SECRET: one, AUTH_SECRET_1: other, AUTH_SECRET_4: other, AUTH_SECRET_0: '' }
    expect(reasonsFor({ secret: undefined }, variables)).to.match(
      /^`AUTH_SECRET_4` is not read\. Latchkey reads AUTH_SECRET, AUTH_SECRET_1,/,
    )
    expect(reasonsFor({ secret: one }, variables)).to.equal('')
  })
})

describe('a warning on the console', () => {
  it('says nothing twice', () => {
    for (const code of ['shared-secret', 'weak-secret'] as const) {
      const { warnings, logger } = recorder()
      const sharedSecrets = createSharedSecrets()
      for (const url of ['https://north.example', 'https://south.example']) {
        const config = testConfig({ logger, secret: 'abc', url })
        resolveConfig(config, { env: readEnv({}), now: Date.now, sharedSecrets })
      }
      const sentence = WARNING_SENTENCES[code].slice(0, -1).split(' ').slice(-4).join(' ')
      expect(warnings.get(code)?.fix, code).not.to.include(sentence)
      expect(String(warnings.get(code)?.fix), code).not.to.match(/have one secret|Another configuration|^A secret/)
    }
  })
})

describe('cookies without the prefix `__Host-`', () => {
  const warned = (options: Partial<AuthConfig>) => {
    const { warnings, logger } = recorder()
    resolveConfig(testConfig({ logger, ...options }), { env: readEnv({}), now: Date.now })
    return warnings.get('cookies-without-prefix')
  }

  it('are named over https, where a sibling host could not set them otherwise', () => {
    const cookies: NonNullable<AuthConfig['cookies']> = {
      sessionToken: { name: 'own', options: { domain: 'app.example' } },
      callbackUrl: { options: { secure: false } },
      csrfToken: { options: { domain: 'app.example' } },
      ownSignIn: { name: 'own-sign-in' },
      heldSignIn: { options: { path: '/auth' } },
      knownBrowser: { options: { secure: false } },
      trustedBrowser: { name: '__Host-trusted' },
      state: { options: { maxAge: 60 } },
    }
    const url = 'https://app.example'
    expect(warned({ url, cookies })).to.deep.include({
      cookies: ['csrfToken', 'ownSignIn', 'heldSignIn', 'knownBrowser'],
    })
    expect(warned({ url })).to.equal(undefined)
    expect(warned({ url, cookies, useSecureCookies: false })).to.equal(undefined)
    expect(warned({ url: 'http://app.example', cookies: { csrfToken: { name: 'csrf' } } })).to.equal(undefined)
  })
})

describe('`useSecureCookies: true`', () => {
  const warned = (options: Partial<AuthConfig>) => {
    const { warnings, logger } = recorder()
    resolveConfig(testConfig({ logger, ...options }), { env: readEnv({}), now: Date.now })
    return warnings.get('secure-cookies-over-http')
  }

  it('with an http URL gives a warning, because browsers do not store such cookies', () => {
    expect(warned({ useSecureCookies: true, url: 'http://app.example' })?.fix).to.match(/Remove useSecureCookies/)
    expect(warned({ useSecureCookies: true, url: 'https://app.example' })).to.equal(undefined)
    expect(warned({ useSecureCookies: true })).to.equal(undefined)
    expect(warned({ url: 'http://app.example' })).to.equal(undefined)
  })
})

describe('two configurations with one secret', () => {
  const base = (tenant: string): Partial<AuthConfig> => ({
    providers: [Credentials({ credentials: {}, authorize: () => ({ id: tenant }) })],
  })
  const isTold = (one: Partial<AuthConfig>, other: Partial<AuthConfig>) => {
    const { warnings, logger } = recorder()
    const sharedSecrets = createSharedSecrets()
    for (const options of [one, other]) {
      resolveConfig(testConfig({ logger, ...options }), { env: readEnv({}), now: Date.now, sharedSecrets })
    }
    return warnings.has('shared-secret')
  }
  const realm = (name: string) => ({
    id: 'keycloak',
    name: 'K',
    type: 'oidc' as const,
    issuer: `https://id.example/realms/${name}`,
    clientId: 'web',
    clientSecret: `secret of ${name}`,
  })
  const store = memoryAdapter()

  const different: Record<string, [Partial<AuthConfig>, Partial<AuthConfig>]> = {
    issuers: [{ providers: [realm('a')] }, { providers: [realm('b')] }],
    hosts: [{ hosts: ['a.example'] }, { hosts: ['b.example'] }],
    paths: [{ basePath: '/auth' }, { basePath: '/staff/auth' }],
    'code of callbacks': [
      { callbacks: { signIn: () => true } },
      { callbacks: { signIn: ({ profile }) => profile?.['org'] === 'staff' } },
    ],
    'code of authorize()': [base('a'), { providers: [Credentials({ credentials: {}, authorize: () => null })] }],
    'lifetimes of sessions': [{ session: { maxAge: 3600 } }, { session: { maxAge: 7200 } }],
    stores: [{ adapter: memoryAdapter() }, { adapter: memoryAdapter() }],
    'stores of revocations': [
      { session: { revocation: { store: memoryAdapter() } } },
      { session: { revocation: { store: memoryAdapter() } } },
    ],
  }
  for (const [what, [one, other]] of Object.entries(different)) {
    it(`are told if they have different ${what}`, () => expect(isTold(one, other)).to.equal(true))
  }

  it('are not told if they are copies of one, as those that are made anew for each request', () => {
    const made = (request: string): Partial<AuthConfig> => ({
      ...base(request),
      adapter: store,
      session: { strategy: 'jwt' },
      hosts: ['app.example'],
      callbacks: { signIn: async () => request.length > 0, session: ({ session }) => ({ ...session, request }) },
      events: { signIn: () => void request },
    })
    expect(isTold(made('one'), made('another'))).to.equal(false)
  })

  it('are not told if a client secret is made anew, as that of Apple', () => {
    const made = (clientSecret: string) => ({ providers: [{ ...realm('a'), clientSecret }] })
    expect(isTold(made('one'), made('another'))).to.equal(false)
  })
})
