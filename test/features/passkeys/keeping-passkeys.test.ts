import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { sqlAdapter } from '../../../lib/adapters/sql.js'
import {
  type AuthConfig,
  AuthError,
  type Passkey as ListedPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Passkey from '../../../lib/providers/passkey.js'
import { migratedDatabase, sqlite } from '../../adapters/sql/databases.js'
import { atLocalhost, passwords, type Running, startApp, testConfig } from '../../support/app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { type Answer, Visitor } from '../../support/visitor.js'

const ADDRESS = 'ada@example.com'

/** An app with routes for passkeys, as the guide shows them, and people who sign up in it. */
async function startWithRoutes(adapter: Adapter, more: Partial<AuthConfig> = {}) {
  const config = testConfig({ providers: [Passkey()], adapter, ...more })
  const app = await startApp(config, (express) => {
    express.get('/passkeys', async (req, res) => res.json(await listPasskeys(req, config)))
    const changes = async (
      req: Parameters<typeof listPasskeys>[0],
      { password, name, ...body }: Record<string, string>,
    ) =>
      name === undefined
        ? removePasskey(req, config, { credentialID: '', ...body, signsInOtherwise: password === 'yes' })
        : renamePasskey(req, config, { credentialID: '', ...body, name })
    express.all('/passkeys/change', async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const body = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
      res.json(await changes(req, body))
    })
    const answerError: Parameters<typeof express.use>[0] = ((
      error: Error,
      _req: unknown,
      res: { status(code: number): { json(body: unknown): void } },
      _next: unknown,
    ) => {
      const { status = 500 } = error as { status?: number }
      res.status(status).json({ type: error instanceof AuthError ? error.type : error.name })
    }) as never
    express.use(answerError)
  })
  return { app: atLocalhost(app), config }
}

async function addPasskey(visitor: Visitor, device: SoftAuthenticator, email?: string): Promise<Answer> {
  const query = new URLSearchParams({ action: 'register', ...(email !== undefined && { email }) })
  const { options } = (await visitor.get(`/auth/webauthn-options/passkey?${query}`)).json()
  return visitor.post('/auth/callback/passkey', { action: 'register', data: device.register(options) })
}

async function signIn(visitor: Visitor, device: SoftAuthenticator): Promise<Answer> {
  const { options } = (await visitor.get('/auth/webauthn-options/passkey?action=authenticate')).json()
  return visitor.post('/auth/callback/passkey', { action: 'authenticate', data: device.authenticate(options) })
}

const list = async (visitor: Visitor): Promise<ListedPasskey[]> => (await visitor.get('/passkeys')).json()

/** As a browser's script on a page of the application does it. */
const change = (
  visitor: Visitor,
  fields: Record<string, string>,
  headers: Record<string, string> = { origin: visitor.origin },
) => visitor.post('/passkeys/change', fields, headers)

const idAt = (passkeys: readonly ListedPasskey[], index: number): string => passkeys[index]?.credentialID ?? ''

const STORES = {
  memory: async () => ({ adapter: memoryAdapter() as Adapter, close: async () => {} }),
  SQLite: async () => {
    const database = await migratedDatabase(sqlite)
    const adapter = sqlAdapter(database.connection)
    return {
      adapter: adapter as Adapter,
      close: async () => {
        await adapter.close()
        await database.drop()
      },
    }
  },
}

for (const [name, open] of Object.entries(STORES)) {
  for (const strategy of ['jwt', 'database'] as const) {
    describe(`keeping passkeys on ${name} with ${strategy} sessions`, () => {
      let app: Running
      let close: () => Promise<void>
      let ada: Visitor
      let phone: SoftAuthenticator
      let key: SoftAuthenticator
      before(async () => {
        const store = await open()
        close = store.close
        ;({ app } = await startWithRoutes(store.adapter, { session: { strategy } }))
        ada = app.visitor()
        phone = new SoftAuthenticator(app.origin)
        key = new SoftAuthenticator(app.origin)
        key.flags = 0x05
        await addPasskey(ada, phone, ADDRESS)
        await addPasskey(ada, key)
      })
      after(async () => {
        await app.close()
        await close()
      })

      it('lists them with name, dates and kind', async () => {
        const passkeys = await list(ada)
        expect(passkeys.map(({ kind }) => kind).sort()).to.deep.equal(['device-bound', 'synced'])
        const synced = passkeys.find(({ kind }) => kind === 'synced')
        expect(synced).to.deep.include({ name: 'Passkey', backedUp: true, transports: ['internal', 'hybrid'] })
        expect(Date.now() - Date.parse(String(synced?.createdAt))).to.be.within(0, 60_000)
        expect(Object.keys(synced ?? {})).to.have.members([
          'credentialID',
          'name',
          'createdAt',
          'lastUsedAt',
          'kind',
          'backedUp',
          'transports',
        ])
      })

      it('lists none for somebody who is signed out', async () => {
        expect((await app.visitor().get('/passkeys')).status).to.equal(401)
        expect((await change(app.visitor(), { credentialID: idAt(await list(ada), 0) })).status).to.equal(401)
      })

      it('renames one', async () => {
        const credentialID = key.passkey.id.toString('base64')
        expect((await change(ada, { credentialID, name: '  My blue key ' })).json()).to.include({ name: 'My blue key' })
        expect((await list(ada)).map(({ name }) => name).sort()).to.deep.equal(['My blue key', 'Passkey'])
        for (const bad of ['', ' ', 'x'.repeat(101), 'two\nlines', '\u200b', 'my\u202eyek', 'two\u2028lines']) {
          expect((await change(ada, { credentialID, name: bad })).status, bad).to.equal(400)
        }
      })

      it('WEBAUTHN-22: shows, renames and removes nobody else’s', async () => {
        const eve = app.visitor()
        const device = new SoftAuthenticator(app.origin)
        await addPasskey(eve, device, 'eve@example.com')
        await addPasskey(eve, device)
        expect(await list(eve)).to.have.lengthOf(2)
        const credentialID = phone.passkey.id.toString('base64')
        expect((await change(eve, { credentialID, name: 'Eve’s' })).status).to.equal(404)
        expect((await change(eve, { credentialID })).status).to.equal(404)
        expect((await change(eve, { credentialID: 'none' })).status).to.equal(404)
        expect(await list(ada)).to.have.lengthOf(2)
      })

      it('changes nothing that another page asks for', async () => {
        const credentialID = phone.passkey.id.toString('base64')
        const foreign: Record<string, string>[] = [
          {},
          { origin: 'https://evil.example' },
          { origin: 'null' },
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site', origin: 'http://sub.localhost' },
          { 'sec-fetch-site': 'none' },
        ]
        for (const headers of foreign) {
          const refused = await change(ada, { credentialID }, headers)
          expect([refused.status, refused.json()], JSON.stringify(headers)).to.deep.equal([
            500,
            { type: 'MissingCSRF' },
          ])
        }
        expect((await change(ada, { credentialID, csrfToken: 'x'.repeat(64) })).json()).to.deep.equal({
          type: 'MissingCSRF',
        })
        expect((await ada.get(`/passkeys/change?credentialID=${credentialID}`)).status).to.equal(405)
        expect(await list(ada)).to.have.lengthOf(2)
      })

      it('takes the token of a form where the browser says nothing', async () => {
        const csrfToken = await ada.csrfToken()
        const credentialID = phone.passkey.id.toString('base64')
        expect((await change(ada, { credentialID, csrfToken, name: 'Phone' }, {})).json()).to.include({ name: 'Phone' })
      })

      it('WEBAUTHN-22: removes one, which signs nobody in any more, and tells the browser which', async () => {
        const credentialID = key.passkey.id.toString('base64')
        const removed = (await change(ada, { credentialID })).json()
        expect(removed.signal).to.deep.equal({ rpId: 'localhost', credentialId: key.passkey.id.toString('base64url') })
        expect(removed.passkey).to.include({ credentialID })
        const refused = await signIn(app.visitor(), key)
        expect(refused.location?.searchParams.get('error')).to.equal('WebAuthnVerificationError')
        expect((await signIn(app.visitor(), phone)).location?.searchParams.get('error')).to.equal(null)
      })

      it('ACCT-03: does not remove the last way to sign in', async () => {
        const credentialID = phone.passkey.id.toString('base64')
        expect((await change(ada, { credentialID })).status).to.equal(409)
        expect(await list(ada)).to.have.lengthOf(1)
        expect((await change(ada, { credentialID, password: 'yes' })).status).to.equal(200)
        expect(await list(ada)).to.deep.equal([])
      })
    })
  }
}

describe('a passkey whose removal is looked at while the store fails', () => {
  it('is put back, because nobody can say that the user has another way in (ACCT-03)', async () => {
    const store = memoryAdapter()
    let isDown = false
    const deleteAuthenticator: Adapter['deleteAuthenticator'] = async (id) => {
      await store.deleteAuthenticator?.(id)
      isDown = true
    }
    const listAuthenticatorsByUserId: Adapter['listAuthenticatorsByUserId'] = (id) =>
      isDown ? Promise.reject(new Error('down')) : store.listAuthenticatorsByUserId(id)
    const { app } = await startWithRoutes({ ...store, deleteAuthenticator, listAuthenticatorsByUserId })
    try {
      const ada = app.visitor()
      const [phone, key] = [new SoftAuthenticator(app.origin), new SoftAuthenticator(app.origin)]
      await addPasskey(ada, phone, ADDRESS)
      await addPasskey(ada, key)
      expect((await change(ada, { credentialID: key.passkey.id.toString('base64') })).status).to.equal(500)
      isDown = false
      expect(await list(ada)).to.have.lengthOf(2)
    } finally {
      await app.close()
    }
  })
})

for (const strategy of ['jwt', 'database'] as const) {
  describe(`WEBAUTHN-22: removing a passkey with ${strategy} sessions`, () => {
    const realNow = Date.now
    let ahead = 0
    let app: Running
    let ada: Visitor
    let phone: SoftAuthenticator
    let key: SoftAuthenticator
    beforeEach(async () => {
      ahead = 0
      // Before the configuration is resolved, which is when Latchkey takes its clock.
      Date.now = () => realNow() + ahead * 1000
      ;({ app } = await startWithRoutes(memoryAdapter(), { session: { strategy } }))
      ada = app.visitor()
      phone = new SoftAuthenticator(app.origin)
      key = new SoftAuthenticator(app.origin)
      await addPasskey(ada, phone, ADDRESS)
      await addPasskey(ada, key)
    })
    afterEach(async () => {
      Date.now = realNow
      await app.close()
    })
    const sessionCookie = () => /session-token=([^;]+)/.exec(ada.cookieHeader())?.[1]
    const remove = async () => (await change(ada, { credentialID: key.passkey.id.toString('base64') })).status

    it('is refused to a session whose owner signed in too long ago, and allowed after the next sign-in', async () => {
      ahead = 15 * 60 + 2
      expect(await remove()).to.equal(403)
      expect(await list(ada)).to.have.lengthOf(2)
      await signIn(ada, phone)
      expect(await remove()).to.equal(200)
    })

    it('is allowed for a quarter of an hour', async () => {
      ahead = 15 * 60 - 5
      expect(await remove()).to.equal(200)
    })

    it('is not allowed because a passkey was added to the open session', async () => {
      ahead = 10 * 60
      await addPasskey(ada, new SoftAuthenticator(app.origin))
      expect(await list(ada)).to.have.lengthOf(3)
      ahead = 15 * 60 + 2
      expect(await remove()).to.equal(403)
    })

    it('ACCT-02: is not allowed to a thief, who cannot add a passkey of their own to sign in with first', async () => {
      ahead = 15 * 60 + 2
      const asked = await ada.get('/auth/webauthn-options/passkey?action=register')
      expect([asked.status, asked.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
      expect(await remove()).to.equal(403)
      expect(await list(ada)).to.have.lengthOf(2)
    })

    it('is not allowed because the session was extended', async () => {
      ahead = 25 * 60 * 60
      const before = sessionCookie()
      await ada.get('/auth/session')
      if (strategy === 'jwt') expect(sessionCookie()).not.to.equal(before)
      expect(await remove()).to.equal(403)
    })
  })
}

describe('WEBAUTHN-22: removePasskey() without options', () => {
  it('asks for a sign-in as recent as session.recentAuthAge says', async () => {
    const realNow = Date.now
    let ahead = 0
    Date.now = () => realNow() + ahead * 1000
    const { app } = await startWithRoutes(memoryAdapter(), { session: { recentAuthAge: 60 } })
    try {
      const [ada, phone, key] = [app.visitor(), new SoftAuthenticator(app.origin), new SoftAuthenticator(app.origin)]
      await addPasskey(ada, phone, ADDRESS)
      await addPasskey(ada, key)
      const credentialID = key.passkey.id.toString('base64')
      ahead = 61
      expect((await change(ada, { credentialID })).status).to.equal(403)
      await signIn(ada, phone)
      expect((await change(ada, { credentialID })).status).to.equal(200)
    } finally {
      Date.now = realNow
      await app.close()
    }
  })
})

describe('WEBAUTHN-22, ACCT-03: removePasskey(), asked whether another way to sign in is left,', () => {
  const open = async (more: Partial<AuthConfig> = {}, adapter: Adapter = memoryAdapter()) => {
    const { app } = await startWithRoutes(adapter, more)
    const ada = app.visitor()
    const device = new SoftAuthenticator(app.origin)
    await addPasskey(ada, device, ADDRESS)
    const credentialID = device.passkey.id.toString('base64')
    const remove = async () => {
      const { status } = await change(ada, { credentialID })
      await app.close()
      return status
    }
    return { ada, app, adapter, device, credentialID, remove }
  }
  const accountOf = async (adapter: Adapter) => {
    const user = await adapter.getUserByEmail?.(ADDRESS)
    return { userId: user?.id ?? '', providerAccountId: '1', type: 'oidc' as const }
  }
  const acme = {
    id: 'acme',
    name: 'Acme',
    type: 'oidc' as const,
    issuer: 'https://acme.example',
    clientId: 'x',
    clientSecret: 'y',
  }

  it('counts a mailed link, where links are sent', async () => {
    const { remove } = await open({ providers: [Passkey(), Email({ sendVerificationRequest: () => {} })] })
    expect(await remove()).to.equal(200)
  })

  it('counts an account at a provider that is configured', async () => {
    const { adapter, remove } = await open({ providers: [Passkey(), acme] })
    await adapter.linkAccount?.({ ...(await accountOf(adapter)), provider: 'acme' })
    expect(await remove()).to.equal(200)
  })

  it('does not count an account at a provider that is not', async () => {
    const { adapter, remove } = await open({ providers: [Passkey(), acme] })
    await adapter.linkAccount?.({ ...(await accountOf(adapter)), provider: 'gone' })
    expect(await remove()).to.equal(409)
  })

  it('does not count a passkey whose account is gone', async () => {
    const { ada, app, adapter, remove } = await open()
    const second = new SoftAuthenticator(app.origin)
    await addPasskey(ada, second)
    await adapter.unlinkAccount?.({ provider: 'passkey', providerAccountId: second.passkey.id.toString('base64') })
    expect(await remove()).to.equal(409)
  })

  it('lets one of two that are removed at once stay', async () => {
    const { ada, app, device, credentialID } = await open()
    const second = new SoftAuthenticator(app.origin)
    await addPasskey(ada, second)
    const both = [credentialID, second.passkey.id.toString('base64')]
    const outcomes = await Promise.all(both.map((id) => change(ada, { credentialID: id })))
    expect(outcomes.map(({ status }) => status)).to.include(409)
    const left = await list(ada)
    expect(left).to.have.length.within(1, 2)
    const kept = [device, second].find(({ passkey }) => passkey.id.toString('base64') === left[0]?.credentialID)
    expect((await signIn(app.visitor(), kept ?? device)).location?.searchParams.get('error')).to.equal(null)
    await app.close()
  })

  it('says which method an adapter lacks', async () => {
    const { deleteAuthenticator: _, ...adapter } = memoryAdapter()
    const { ada, app } = await open({}, adapter)
    const second = new SoftAuthenticator(app.origin)
    await addPasskey(ada, second)
    const refused = await change(ada, { credentialID: second.passkey.id.toString('base64') })
    expect([refused.status, refused.json()]).to.deep.equal([500, { type: 'MissingAdapterMethods' }])
    expect((await signIn(app.visitor(), second)).location?.searchParams.get('error')).to.equal(null)
    await app.close()
  })
})

describe('WEBAUTHN-22: the domain that the browser gets', () => {
  it('is that of the provider’s own hook', async () => {
    const getRelayingParty = (_: unknown, { url }: { url: URL }) => ({ id: 'localhost', name: 'x', origin: url.origin })
    const { app } = await startWithRoutes(memoryAdapter(), { providers: [Passkey({ getRelayingParty }), passwords] })
    const other = new Visitor(app.origin.replace('localhost', '127.0.0.1'))
    const [ada, phone, laptop] = [app.visitor(), new SoftAuthenticator(app.origin), new SoftAuthenticator(app.origin)]
    await addPasskey(ada, phone, ADDRESS)
    await addPasskey(ada, laptop)
    for (const [name, value] of ada.jar) other.jar.set(name, value)
    const removed = await change(other, { credentialID: phone.passkey.id.toString('base64') })
    expect(removed.json().signal).to.include({ rpId: 'localhost' })
    await app.close()
  })
})
