import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { sqlAdapter } from '../../../lib/adapters/sql.js'
import { toResponse } from '../../../lib/kernel/answer.js'
import { incomingFromRequest } from '../../../lib/kernel/incoming.js'
import Passkey from '../../../lib/providers/passkey.js'
import WebAuthn from '../../../lib/providers/webauthn.js'
import { migratedDatabase, sqlite } from '../../adapters/sql/databases.js'
import { passwords } from '../../support/app.js'
import { FLAG, SoftAuthenticator } from '../../support/authenticator.js'
import { type Call, recording } from '../../support/recorder.js'
import { requestContext } from '../../support/request-context.js'
import { whoIs } from '../../support/test-app.js'
import { github } from '../../support/web-app.js'
import {
  ADDRESS,
  answer,
  ask,
  authenticate,
  challengesOf,
  errorOf,
  openPasskeyApp,
  type PasskeyApp,
  register,
  signedUp,
} from './ceremonies.js'

interface Store {
  readonly name: string
  open(): Promise<{ adapter: Required<Adapter>; close(): Promise<void> }>
}

const STORES: readonly Store[] = [
  { name: 'memory', open: async () => ({ adapter: memoryAdapter(), close: async () => {} }) },
  {
    name: 'SQLite',
    async open() {
      const database = await migratedDatabase(sqlite)
      const adapter = sqlAdapter(database.connection)
      const close = async () => {
        await adapter.close()
        await database.drop()
      }
      return { adapter, close }
    },
  },
]

for (const { name, open } of STORES) {
  for (const strategy of ['jwt', 'database'] as const) {
    describe(`passkeys on ${name} with ${strategy} sessions`, () => {
      let adapter: Required<Adapter>
      let close: () => Promise<void>
      before(async () => {
        ;({ adapter, close } = await open())
      })
      after(() => close())

      it('count as two factors if the person was verified', async () => {
        const lax = Passkey({
          authenticationOptions: { userVerification: 'preferred' },
          verifyAuthenticationOptions: { requireUserVerification: false },
        })
        const passkeyApp = openPasskeyApp({ session: { strategy }, providers: [lax] }, adapter)
        const { testApp, device } = passkeyApp
        expect((await register(passkeyApp, { email: `${strategy}@example.com` })).location).to.equal(testApp.origin)
        const { up, uv, be, bs } = FLAG
        for (const [flags, authentication] of [
          [up | uv | be | bs, { factors: 2, amr: ['swk', 'user'] }],
          [up | uv, { factors: 2, amr: ['hwk', 'user'] }],
          [up | be | bs, { amr: ['swk'] }],
          [up, { amr: ['hwk'] }],
        ] as const) {
          const browser = testApp.browser()
          const { location } = await authenticate({ browser, device }, { twist: { flags } })
          expect(location).to.equal(testApp.origin)
          const reading = await testApp.engine.readSession(requestContext(browser.cookieHeader(), testApp.origin))
          expect(reading.authentication).to.deep.equal(authentication)
        }
      })

      it('sign up, sign in, add a second one, and sign in with each', async () => {
        const passkeyApp = openPasskeyApp({ session: { strategy } }, adapter)
        const { browser, device, testApp } = passkeyApp
        expect((await register(passkeyApp, { email: ' ADA@Example.com ' })).location).to.equal(testApp.origin)
        expect(await whoIs(browser)).to.equal(ADDRESS)
        const user = await adapter.getUserByEmail(ADDRESS)
        const [row] = await adapter.listAuthenticatorsByUserId(user?.id ?? '')
        expect(row).to.include({
          credentialID: device.passkey.id.toString('base64'),
          providerAccountId: device.passkey.id.toString('base64'),
          transports: 'internal,hybrid',
          credentialDeviceType: 'multiDevice',
          credentialBackedUp: true,
          counter: 0,
          name: 'Passkey',
        })
        expect(row?.createdAt?.getTime()).to.equal(testApp.clock.ms)

        const later = testApp.browser()
        testApp.clock.advance(60)
        expect((await authenticate({ browser: later, device })).location).to.equal(testApp.origin)
        expect(await whoIs(later)).to.equal(ADDRESS)

        const second = new SoftAuthenticator(testApp.origin)
        expect((await register({ browser: later, device: second })).location).to.equal(testApp.origin)
        expect(await adapter.listAuthenticatorsByUserId(user?.id ?? '')).to.have.lengthOf(2)
        const elsewhere = testApp.browser()
        expect((await authenticate({ browser: elsewhere, device: second }, { email: ADDRESS })).location).to.equal(
          testApp.origin,
        )
        expect(await whoIs(elsewhere)).to.equal(ADDRESS)
        expect(await adapter.getUserByEmail(ADDRESS)).to.have.property('id', user?.id)
      })

      it('note when they were used', async () => {
        const user = await adapter.getUserByEmail(ADDRESS)
        const rows = await adapter.listAuthenticatorsByUserId(user?.id ?? '')
        expect(rows.map(({ lastUsedAt }) => lastUsedAt instanceof Date)).to.deep.equal([true, true])
      })
    })
  }
}

describe('GET webauthn-options/:provider', () => {
  it('follows the table of actions', async () => {
    const { browser, signedIn } = await signedUp()
    const outcomes: [typeof browser, Record<string, string>, string][] = [
      [browser, { action: 'authenticate' }, 'authenticate'],
      [browser, { action: 'authenticate', email: ADDRESS }, 'authenticate'],
      [browser, { action: 'authenticate', email: 'eve@example.com' }, 'authenticate'],
      [signedIn, { action: 'authenticate' }, 'authenticate'],
      [signedIn, { action: 'register' }, 'register'],
      [browser, { action: 'register', email: 'eve@example.com' }, 'register'],
      [browser, { action: 'register', email: ADDRESS }, 'Invalid request'],
      [browser, { action: 'register' }, 'Invalid request'],
      [browser, { action: 'register', email: 'no address' }, 'Invalid request'],
      [browser, {}, 'authenticate'],
      [browser, { email: ADDRESS }, 'authenticate'],
      [browser, { email: 'eve@example.com' }, 'register'],
      [signedIn, {}, 'Invalid request'],
      [browser, { action: 'delete' }, 'Invalid action'],
      [browser, { action: '' }, 'Invalid action'],
    ]
    for (const [who, query, expected] of outcomes) {
      const { status, json } = await ask(who, query)
      const { action, error } = json()
      expect([status, action ?? error], JSON.stringify(query)).to.deep.equal([
        expected.startsWith('Invalid') ? 400 : 200,
        expected,
      ])
    }
  })

  it('gives the options of a registration', async () => {
    const { browser } = openPasskeyApp()
    const { action, options } = (await ask(browser, { action: 'register', email: ADDRESS })).json()
    expect(action).to.equal('register')
    expect(options.rp).to.deep.equal({ name: 'app.example', id: 'app.example' })
    expect(options.user).to.include({ name: ADDRESS, displayName: ADDRESS })
    expect(options.authenticatorSelection).to.include({ residentKey: 'required', userVerification: 'required' })
    expect(options).to.include({ timeout: 300_000, attestation: 'none' })
    expect(options.excludeCredentials).to.deep.equal([])
  })

  it('names the passkeys of whoever is signed in, whatever address is given', async () => {
    const { signedIn, device } = await signedUp()
    const own = [
      { id: device.passkey.id.toString('base64url'), type: 'public-key', transports: ['internal', 'hybrid'] },
    ]
    const { options } = (await ask(signedIn, { action: 'authenticate', email: 'eve@example.com' })).json()
    expect(options).to.include({ rpId: 'app.example', userVerification: 'required', timeout: 300_000 })
    expect(options.allowCredentials).to.deep.equal(own)
    const made = (await ask(signedIn, { action: 'register', email: 'eve@example.com' })).json().options
    expect(made.excludeCredentials).to.deep.equal(own)
    expect(made.user.name).to.equal(ADDRESS)
  })

  it('is not kept by any cache', async () => {
    const { headers } = await send(openPasskeyApp().testApp, '/auth/webauthn-options/passkey', {})
    expect(headers.get('cache-control')).to.include('no-store')
  })

  it('has none for another kind of provider', async () => {
    const { browser } = openPasskeyApp({ providers: [passwords, Passkey()] })
    const { status, json } = await ask(browser, {}, 'credentials')
    expect([status, json()]).to.deep.equal([400, { error: 'Invalid request' }])
    expect((await browser.get('/auth/webauthn-options')).status).to.equal(400)
  })

  it('answers a fault of the store with JSON', async () => {
    const { browser, adapter, testApp } = openPasskeyApp()
    adapter.getUserByEmail = () => {
      throw new Error('the store is down')
    }
    const { status, json } = await ask(browser, { email: ADDRESS })
    expect([status, json()]).to.deep.equal([500, { error: 'Configuration' }])
    expect(testApp.log.errors[0]?.message).to.include('getUserByEmail')
  })

  it('asks the hooks of the provider', async () => {
    const provider = Passkey({
      relayingParty: { name: 'Example', origin: ['https://app.example', 'https://www.app.example'] },
      registrationOptions: { timeout: 1000 },
      getRelayingParty: (_, request) => ({ id: 'example', name: 'replaced', origin: request.url.origin }),
      getUserInfo: async ({ provider, adapter }, { query, method }) => {
        expect([provider.id, typeof adapter.getUser, method]).to.deep.equal(['passkey', 'function', 'GET'])
        return { user: { name: query.name, email: null }, exists: false }
      },
    })
    const { browser } = openPasskeyApp({ providers: [provider] })
    const { options } = (await ask(browser, { action: 'register', name: 'Grace' })).json()
    expect(options.rp).to.deep.equal({ id: 'example', name: 'Example' })
    expect(options.user).to.include({ name: 'Grace', displayName: 'Grace' })
    expect(options).to.include({ timeout: 1000 })
    expect(options.authenticatorSelection.residentKey).to.equal('required')
  })

  it('knows nobody by a getUserInfo that gives no user, or a stored one whose id is none', async () => {
    const USERS = ['undefined', '', {}, Number.NaN, undefined].map((id) => ({
      user: { id, name: 'Ada' },
      exists: true,
    }))
    const OTHERS = [new Error('no'), [], 'ada', { user: new Error('no'), exists: false }, { user: [], exists: false }]
    for (const info of [...USERS, ...OTHERS]) {
      const { browser, testApp } = openPasskeyApp({
        providers: [Passkey({ getUserInfo: (async () => info) as never })],
      })
      const { status, json } = await ask(browser, { action: 'authenticate' })
      expect([status, json()]).to.deep.equal([500, { error: 'Configuration' }])
      expect(testApp.log.errors[0]?.message).to.include('getUserInfo() gave no user')
    }
  })
})

describe('POST callback/:provider of a passkey', () => {
  it('takes two ceremonies of one browser at once, and both sign the same person in', async () => {
    const { browser, device, testApp } = await signedUp()
    const [one, two] = await Promise.all([
      ask(browser, { action: 'authenticate' }),
      ask(browser, { action: 'authenticate' }),
    ])
    expect(challengesOf(browser)).to.have.lengthOf(2)
    const second = await answer(browser, 'authenticate', device.authenticate(two.json().options))
    const first = await answer(browser, 'authenticate', device.authenticate(one.json().options))
    expect([second.location, first.location]).to.deep.equal([testApp.origin, testApp.origin])
    expect(challengesOf(browser)).to.deep.equal([])
  })

  it('keeps at most five open ones, the youngest', async () => {
    const { browser, device, testApp } = await signedUp()
    const asked = []
    for (let count = 0; count < 7; count++) {
      asked.push((await ask(browser, { action: 'authenticate' })).json().options)
      testApp.clock.advance(1)
    }
    expect(challengesOf(browser)).to.have.lengthOf(5)
    expect(errorOf(await answer(browser, 'authenticate', device.authenticate(asked[1])))).to.equal(
      'WebAuthnVerificationError',
    )
    expect(errorOf(await answer(browser, 'authenticate', device.authenticate(asked[2])))).to.equal(null)
  })

  it('honours the text of the signIn callback, and signs nobody in', async () => {
    const passkeyApp = openPasskeyApp({ callbacks: { signIn: () => '/waiting-list' } })
    const { location } = await register(passkeyApp, { email: ADDRESS })
    expect(location).to.equal(`${passkeyApp.testApp.origin}/waiting-list`)
    expect(await whoIs(passkeyApp.browser)).to.equal(null)
    expect(await passkeyApp.adapter.getUserByEmail(ADDRESS)).to.equal(null)
  })

  it('refuses when the signIn callback does', async () => {
    const passkeyApp = openPasskeyApp({ callbacks: { signIn: () => false } })
    expect(errorOf(await register(passkeyApp, { email: ADDRESS }))).to.equal('AccessDenied')
  })

  it('makes no user if the signUp callback refuses', async () => {
    const passkeyApp = openPasskeyApp({ callbacks: { signUp: ({ user }) => user.email !== ADDRESS } })
    expect(errorOf(await register(passkeyApp, { email: ADDRESS }))).to.equal('AccessDenied')
    expect(errorOf(await register(passkeyApp, { email: 'grace@example.com' }))).to.equal(null)
  })

  it('sends new users to their page, and others where they came from', async () => {
    const passkeyApp = openPasskeyApp({ pages: { newUser: '/welcome' } })
    const made = await register(passkeyApp, { email: ADDRESS })
    expect(made.location).to.match(/^http:\/\/app\.example\/welcome\?callbackUrl=|^\/welcome\?callbackUrl=/)
    const browser = passkeyApp.testApp.browser()
    const { options } = (await ask(browser, { action: 'authenticate' })).json()
    const data = passkeyApp.device.authenticate(options)
    const back = await browser.post('/auth/callback/passkey', { action: 'authenticate', data, callbackUrl: '/account' })
    expect(back.location).to.equal(`${passkeyApp.testApp.origin}/account`)
  })

  it('answers only to POST', async () => {
    const { browser } = openPasskeyApp()
    expect((await browser.get('/auth/callback/passkey')).status).to.equal(405)
  })

  it('CSRF-04: refuses an answer that another site sends, before it ends any ceremony', async () => {
    const { testApp, device } = await signedUp()
    const browser = testApp.browser()
    const { options } = (await ask(browser, { action: 'authenticate' })).json()
    const data = device.authenticate(options)
    const { hostname } = new URL(testApp.origin)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: `http://evil.${hostname}` },
      { origin: 'https://evil.example' },
    ] as Record<string, string>[])
      for (const body of [{ action: 'authenticate', data }, { data: 'x' }, {}] as Record<string, string>[]) {
        const refused = await browser.post('/auth/callback/passkey', body, headers)
        expect(refused.location).to.include('error=MissingCSRF')
        expect(refused.setCookies).to.deep.equal([])
      }
    await browser.post('/auth/callback/passkey', { action: 'authenticate', data })
    expect(await browser.session()).to.have.property('user')
  })

  it('calls everything in the order of the contract', async () => {
    const calls: Call[] = []
    const memory = memoryAdapter()
    const watched = Object.fromEntries(
      Object.entries(memory).map(([name, method]) => [
        name,
        (...args: never[]) => {
          calls.push([name, null])
          return (method as (...args: never[]) => unknown)(...args)
        },
      ]),
    ) as Required<Adapter>
    const { callbacks, events } = recording(calls)
    const passkeyApp = openPasskeyApp({ callbacks, events, session: { strategy: 'jwt' } }, watched)
    const { browser, device, testApp } = passkeyApp
    const { options } = (await ask(browser, { action: 'register', email: ADDRESS })).json()
    calls.length = 0
    await answer(browser, 'register', device.register(options))
    expect(calls.map(([name]) => name)).to.deep.equal([
      'signIn',
      'getUserByAccount',
      'getAuthenticator',
      'getUserByEmail',
      'createUserWithAccount',
      'event createUser',
      'event linkAccount',
      'jwt',
      'event signIn',
    ])
    const other = testApp.browser()
    const asked = (await ask(other, { action: 'authenticate' })).json().options
    calls.length = 0
    await answer(other, 'authenticate', device.authenticate(asked))
    expect(calls.map(([name]) => name)).to.deep.equal([
      'getAuthenticator',
      'updateAuthenticatorCounter',
      'updateAuthenticator',
      'getAccount',
      'getUser',
      'signIn',
      'getUserByAccount',
      'getAccount',
      'jwt',
      'event signIn',
    ])
  })

  it('hands createUser no id and no emailVerified, and an adapter of Auth.js nothing that it does not know', async () => {
    const { updateAuthenticator: _, ...memory } = memoryAdapter()
    const given: Record<string, unknown> = {}
    const adapter = {
      ...memory,
      createUser: (user: Parameters<typeof memory.createUser>[0]) => {
        given['user'] = { ...user }
        return memory.createUser(user)
      },
      createAuthenticator: (row: Parameters<typeof memory.createAuthenticator>[0]) => {
        given['authenticator'] = Object.keys(row).sort()
        return memory.createAuthenticator(row)
      },
    } as unknown as Required<Adapter>
    const passkeyApp = openPasskeyApp({}, adapter)
    expect(errorOf(await register(passkeyApp, { email: ADDRESS }))).to.equal(null)
    expect(given['user']).to.deep.equal({ email: ADDRESS })
    expect(given['authenticator']).to.deep.equal([
      'counter',
      'credentialBackedUp',
      'credentialDeviceType',
      'credentialID',
      'credentialPublicKey',
      'providerAccountId',
      'transports',
      'userId',
    ])
    expect(errorOf(await authenticate({ ...passkeyApp, browser: passkeyApp.testApp.browser() }))).to.equal(null)
  })

  it('leaves no user behind whose passkey could not be stored', async () => {
    const passkeyApp = openPasskeyApp()
    passkeyApp.adapter.createAuthenticator = () => {
      throw new Error('the disk is full')
    }
    expect(errorOf(await register(passkeyApp, { email: ADDRESS }))).to.equal('Configuration')
    expect(await passkeyApp.adapter.getUserByEmail(ADDRESS)).to.equal(null)
    expect(await whoIs(passkeyApp.browser)).to.equal(null)
  })

  it('makes one user of two sign-ups with one address at once', async () => {
    const passkeyApp = openPasskeyApp()
    const other = { browser: passkeyApp.testApp.browser(), device: new SoftAuthenticator(passkeyApp.testApp.origin) }
    const both = await Promise.all([register(passkeyApp, { email: ADDRESS }), register(other, { email: ADDRESS })])
    expect(both.map(errorOf).sort()).to.deep.equal(['AccountNotLinked', null])
  })

  it('CSRF-06: ends no sign-in at a provider by ceremonies, which the load of a page begins', async () => {
    const getUserInfo = async () => ({ user: { email: ADDRESS, name: 'n'.repeat(900) }, exists: false as const })
    const { browser } = openPasskeyApp({ providers: [Passkey({ getUserInfo }), github] })
    const csrfToken = await browser.csrfToken()
    await browser.post('/auth/signin/github', { csrfToken, callbackUrl: `/${'u'.repeat(1000)}` })
    const begun = [...browser.jar.keys()].filter((name) => /pkce|state/.test(name))
    expect(begun).not.to.deep.equal([])
    for (let load = 0; load < 6; load += 1) expect((await ask(browser, { action: 'register' })).status).to.equal(200)
    expect(challengesOf(browser).length, 'there was no room for all').to.be.within(1, 4)
    expect([...browser.jar.keys()]).to.include.members(begun)
  })

  it('takes a security key that knows no person, where the provider does', async () => {
    const relaxed = { requireUserVerification: false }
    const provider = WebAuthn({ verifyAuthenticationOptions: relaxed, verifyRegistrationOptions: relaxed })
    const { testApp, adapter } = openPasskeyApp({ providers: [provider] })
    const device = new SoftAuthenticator(testApp.origin)
    device.flags = 0x01
    const browser = testApp.browser()
    const { options } = (await ask(browser, { email: ADDRESS }, 'webauthn')).json()
    expect(options.authenticatorSelection).to.include({ userVerification: 'preferred', residentKey: 'preferred' })
    expect(errorOf(await answer(browser, 'register', device.register(options), 'webauthn'))).to.equal(null)
    const other = testApp.browser()
    const asked = (await ask(other, { email: ADDRESS }, 'webauthn')).json().options
    const data = device.authenticate(asked, { userHandle: null })
    expect(errorOf(await answer(other, 'authenticate', data, 'webauthn'))).to.equal(null)
    const user = await adapter.getUserByEmail(ADDRESS)
    expect((await adapter.listAuthenticatorsByUserId(user?.id ?? ''))[0]).to.include({
      credentialDeviceType: 'singleDevice',
    })
  })
})

async function send({ engine, origin }: PasskeyApp['testApp'], path: string, init: RequestInit): Promise<Response> {
  const incoming = incomingFromRequest(new Request(origin + path, init))
  return toResponse(await engine.handle(incoming, { origin, basePath: '/auth' }))
}
