import { setTimeout as wait } from 'node:timers/promises'
import Nodemailer from '@auth/core/providers/nodemailer'
import PostgresAdapter from '@auth/pg-adapter'
import { expect } from 'chai'
import express from 'express'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { type AuthConfig, expressAuth, getSession, type Provider } from '../../lib/index.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { createSchema, type OwnSchema, PG_ADAPTER_TABLES } from '../adapters/authjs/postgres.js'
import { skipSuite } from '../adapters/redis/servers.js'
import { listen, type Running, SECRET } from '../support/app.js'
import { type ChildApp, handOnTo, startChild } from '../support/child-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { Mailbox, newPerson, oauth, type Person } from '../support/sign-ins.js'
import { SESSION } from '../support/test-app.js'
import type { Visitor } from '../support/visitor.js'

interface Move {
  create(pool: OwnSchema['pool']): Adapter
  /** What becomes of a token in the store. */
  readonly keptAs: (token: string) => string
}

/** What the application moves to; what it had is @auth/pg-adapter in both cases. */
const ADAPTERS: Readonly<Record<string, Move>> = {
  'latchkey/adapters/sql': { create: (pool) => sqlAdapter(pool), keptAs: storedForm },
  '@auth/pg-adapter, unmodified': {
    create: (pool) => PostgresAdapter(pool) as Adapter,
    keptAs: (token) => token,
  },
}

for (const [name, { create, keptAs }] of Object.entries(ADAPTERS)) {
  describe(`a database that @auth/express filled, under Latchkey with ${name}`, () => {
    let schema: OwnSchema | null = null
    let idp: FakeProvider
    let authjs: ChildApp
    let app: Running
    let isMoved = false
    const errors: unknown[] = []
    const mailbox = new Mailbox()
    const deliver = ({ identifier, url }: { identifier: string; url: string }) =>
      void mailbox.links.set(identifier, new URL(url))

    before(async function () {
      schema = await createSchema(PG_ADAPTER_TABLES)
      if (!schema) return skipSuite(this, 'no PostgreSQL answers')
      idp = await FakeProvider.start()
      const { pool } = schema
      const { connectionString, options } = pool.options
      const variables = { POSTGRES_URL: connectionString, POSTGRES_OPTIONS: options, OIDC_ISSUER: idp.issuer }
      authjs = await startChild('authjs-app.ts', variables, ({ identifier, url, error }) => {
        if (identifier && url) deliver({ identifier, url })
        if (error) errors.push(error)
      })
      const config: AuthConfig = {
        secret: SECRET,
        adapter: create(pool),
        // The provider object of Auth.js, as the application has it.
        providers: [
          oauth(idp),
          Nodemailer({
            id: 'email',
            server: 'smtp://127.0.0.1:1',
            from: 'app@example.com',
            sendVerificationRequest: deliver,
          }) as Provider,
        ],
        session: { strategy: 'database' },
        callbacks: {
          // An adapter of Auth.js cannot end these, as the guide tells, and a link to somebody known would be refused.
          async confirmEmail({ user, remaining }) {
            for (const way of remaining) {
              if (way !== 'accounts' && way !== 'sessions') return false
              await pool.query(`delete from ${way} where "userId" = $1`, [user.id])
            }
            return true
          },
        },
        logger: { error: (error) => void errors.push(error), warn: () => {}, debug: () => {} },
      }
      const moved = express()
      moved.use('/auth', expressAuth(config))
      moved.get('/who', async (req, res) => void res.json(await getSession(req, config)))
      const handOn = handOnTo(authjs.origin)
      app = await listen((req, res) => (isMoved ? moved(req, res) : handOn(req, res)))
    })
    after(async () => {
      await app?.close()
      await authjs?.stop()
      await idp?.stop()
      await schema?.drop()
    })
    beforeEach(() => {
      errors.length = 0
      isMoved = false
    })
    afterEach(() => expect(errors).to.deep.equal([]))

    const rows = async (text: string, values: unknown[] = []) => (await schema?.pool.query(text, values))?.rows ?? []
    const sessionTokens = async ({ email }: Person) => {
      const found = await rows('select s.* from sessions s join users u on u.id = s."userId" where u.email = $1', [
        email,
      ])
      return found.map(({ sessionToken }) => String(sessionToken))
    }
    const usersLike = async ({ email }: Person) =>
      (await rows('select * from users where email = $1', [email])) as { id: number; emailVerified: Date | null }[]

    const signIn = async (visitor: Visitor, { sub, email, name: full }: Person) => {
      idp.profile = { sub, email, name: full }
      const csrfToken = await visitor.csrfToken()
      const { location } = await visitor.post('/auth/signin/oidc', { csrfToken })
      return visitor.get(`/auth/callback/oidc?${idp.authorize(location?.href ?? '')}`)
    }
    const askForLink = async (visitor: Visitor, { email }: Person) => {
      await visitor.post('/auth/signin/email', { csrfToken: await visitor.csrfToken(), email: email ?? '' })
      // It comes from another process, by another way than the answer.
      for (let tries = 0; !mailbox.links.has(email ?? '') && tries < 100; tries += 1) await wait(10)
      return mailbox.pathFor(email)
    }
    /** Somebody whom Auth.js signed in. */
    const signedInBefore = async () => {
      const person = newPerson()
      const visitor = app.visitor()
      await signIn(visitor, person)
      const token = visitor.jar.get(SESSION) ?? ''
      expect(await sessionTokens(person), 'as Auth.js keeps it').to.deep.equal([token])
      isMoved = true
      return { person, visitor, token }
    }

    it('keeps the visitor signed in, and the token as a digest from then on, where the adapter can do that', async () => {
      const { person, visitor, token } = await signedInBefore()
      expect((await visitor.session()).user).to.deep.include({ name: 'Ada', email: person.email })
      expect(await sessionTokens(person)).to.deep.equal([keptAs(token)])
      expect((await visitor.session()).user.email).to.equal(person.email)
      expect((await visitor.get('/who')).json().user.email).to.equal(person.email)
    })

    it('keeps the visitor signed in when the requests of a whole page come at once', async () => {
      const { person, visitor, token } = await signedInBefore()
      const sessions = await Promise.all(Array.from({ length: 20 }, () => visitor.copy().session()))
      expect(sessions.map((session) => session?.user?.email)).to.deep.equal(Array(20).fill(person.email))
      expect(await sessionTokens(person)).to.deep.equal([keptAs(token)])
    })

    it('keeps its end to the millisecond, its id, and what the application added to it', async () => {
      await rows('alter table sessions add column if not exists device text')
      const { visitor, token } = await signedInBefore()
      await rows(`update sessions set device = 'a phone' where "sessionToken" = $1`, [token])
      const [before] = await rows('select * from sessions where "sessionToken" = $1', [token])
      await visitor.session()
      const after = await rows('select * from sessions where id = $1', [before.id])
      expect(after).to.deep.equal([{ ...before, sessionToken: keptAs(token) }])
    })

    it('ends it at once when the visitor signs out', async () => {
      const { person, visitor } = await signedInBefore()
      const copy = visitor.copy()
      await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
      expect(await sessionTokens(person)).to.deep.equal([])
      expect(await copy.session()).to.equal(null)
    })

    it('finds user and account when they sign in anew, and makes no others', async () => {
      const { person } = await signedInBefore()
      const before = await usersLike(person)
      const counts = 'select (select count(*) from users) as users, (select count(*) from accounts) as accounts'
      const counted = await rows(counts)
      const visitor = app.visitor()
      expect((await signIn(visitor, person)).location?.search).to.equal('')
      expect((await visitor.session()).user.email).to.equal(person.email)
      expect(await rows(counts)).to.deep.equal(counted)
      expect(await usersLike(person)).to.deep.equal(before)
    })

    it('signs somebody new in, with a row like those that are there', async () => {
      const { person: known } = await signedInBefore()
      const person = newPerson()
      await signIn(app.visitor(), person)
      const columns = 'type, provider, access_token, refresh_token, scope, token_type'
      const accountOf = async ({ sub }: Person) => {
        const [account] = await rows(`select ${columns} from accounts where "providerAccountId" = $1`, [sub])
        return account
      }
      // An adapter of Latchkey gets encrypted tokens; all other columns are as those of Auth.js.
      const { access_token, refresh_token, ...others } = (await accountOf(person)) ?? {}
      const { access_token: _access, refresh_token: _refresh, ...before } = (await accountOf(known)) ?? {}
      expect(others).to.deep.equal(before)
      const isOurs = name.startsWith('latchkey')
      expect(String(access_token)).to.match(isOurs ? /^encrypted:/ : /^marked-access-token$/)
      expect(String(refresh_token)).to.match(isOurs ? /^encrypted:/ : /^marked-refresh-token$/)
      expect(others).to.include({ token_type: 'bearer' })
    })

    it('redeems a magic link that Auth.js sent, for somebody new and for somebody known', async () => {
      for (const isKnown of [false, true]) {
        isMoved = false
        const person = newPerson()
        if (isKnown) await signIn(app.visitor(), person)
        const asking = app.visitor()
        const path = await askForLink(asking, person)
        isMoved = true
        // Auth.js leaves no mark in the browser that asks, so there is a button to press.
        const page = await asking.get(path)
        expect(page.status).to.equal(200)
        const query = new URLSearchParams(path.split('?')[1])
        const fields = { token: query.get('token') ?? '', email: query.get('email') ?? '' }
        await asking.post('/auth/callback/email', { csrfToken: await asking.csrfToken(), ...fields })
        expect((await asking.session())?.user?.email).to.equal(person.email)
        const [user, ...others] = await usersLike(person)
        expect(others).to.deep.equal([])
        expect(await rows('select * from accounts where "userId" = $1', [user?.id]), 'nobody else’s').to.deep.equal([])
        expect(user?.emailVerified).to.be.instanceOf(Date)
        expect(await rows('select * from verification_token where identifier = $1', [person.email])).to.deep.equal([])
      }
    })
  })
}
