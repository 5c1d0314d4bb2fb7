import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, AuthError } from '../../lib/index.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { ADA } from '../support/app.js'
import { openTestApp, SESSION } from '../support/test-app.js'
import { openTestAppWithStore } from '../support/test-app-with-store.js'

const DAY = 24 * 60 * 60

/** The value of a digit of any script. */
const digitOf = (digit: string) => {
  let zero = digit.charCodeAt(0)
  while (/\p{Nd}/u.test(String.fromCharCode(zero - 1)) && digit.charCodeAt(0) - zero < 9) zero -= 1
  return digit.charCodeAt(0) - zero
}

const tokenIn = (browser: { jar: Map<string, { value: string }> }) => browser.jar.get(SESSION)?.value ?? ''

describe('a stored session', () => {
  it('is what credentials give when there is an adapter', async () => {
    const { browser } = openTestAppWithStore()
    const ada = browser()
    expect((await ada.signIn()).status).to.equal(302)
    expect(await ada.session()).to.deep.include({ user: { name: 'Ada', email: 'ada@example.com', image: null } })
  })

  it('is refused for credentials of somebody whom the store does not have, with nothing written', async () => {
    const { browser, log, calls } = openEmpty()
    const ada = browser()
    expect((await ada.signIn()).location).to.include('error=Configuration')
    expect(ada.sessionNames()).to.deep.equal([])
    expect(log.errors.map(({ message }) => message).join()).to.include('no stored user')
    expect(calls).to.not.include('createSession')
  })

  it('SESS-01 is kept under a digest, and the digest itself signs nobody in', async () => {
    const { browser, store, signedIn } = openTestAppWithStore()
    const token = tokenIn(await signedIn())
    expect(token).to.match(/^[0-9a-f]{64}$/)
    expect(store.getSessionAndUser(token)).to.equal(null)
    const { createHash } = await import('node:crypto')
    const stored = `sha256:${createHash('sha256').update(token).digest('hex')}`
    expect(store.getSessionAndUser(stored)).to.not.equal(null)

    const thief = browser()
    thief.plant(SESSION, stored)
    expect(await thief.session()).to.equal(null)
  })

  it('SESS-01 takes nothing for a token that a store could take for a digest, or that nobody was given', async () => {
    // A store with a collation of its own, whose rows tell the key that was asked for: each of these finds Ada's row.
    const keyOf = (text: string) => {
      const plain = text.normalize('NFKD').replace(/\p{Nd}/gu, (digit) => String(digitOf(digit)))
      return plain.toLowerCase().replace(/[^a-z0-9]/g, '')
    }
    const asked: string[] = []
    const { browser, store, signedIn } = openTestAppWithStore({}, (memory) => ({
      ...memory,
      getSessionAndUser: async (key) => {
        asked.push(key)
        for (const candidate of [stored, key]) {
          const found = keyOf(candidate) === keyOf(key) ? await memory.getSessionAndUser?.(candidate) : null
          if (found) return { ...found, session: { ...found.session, sessionToken: key } }
        }
        return null
      },
    }))
    let stored = ''
    stored = storedForm(tokenIn(await signedIn()))
    expect(store.getSession(stored)).to.not.equal(null)
    const digest = stored.slice('sha256:'.length)
    const FORMS: Readonly<Record<string, string>> = {
      'the stored form': stored,
      'in capitals': stored.toUpperCase(),
      'in capitals, partly': `Sha256:${digest}`,
      'with a full-width colon': `sha256\uff1a${digest}`,
      'in full width': [...stored].map((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join(''),
      'with an accent': `sh\u00e1256:${digest}`,
      'with a combining accent': `sha\u0301256:${digest}`,
      'with a long s': `\u017fha256:${digest}`,
      'with digits of another script': `sha\u0662\u0665\u0666:${digest}`,
      'with a blank after it': `${stored} `,
      'with a blank before it': ` ${stored}`,
      'with a tab': `\t${stored}`,
      'with a zero-width space': `\u200b${stored}`,
      'with NUL': `sha256:\0${digest}`,
      'without the colon': `sha256${digest}`,
      'with another sign': `sha-256-${digest}`,
      'with a sign before it': `.sha256:${digest}`,
    }
    for (const [what, value] of Object.entries(FORMS)) {
      const thief = browser()
      thief.plant(SESSION, encodeURIComponent(value))
      asked.length = 0
      expect(await thief.session(), what).to.equal(null)
      expect(asked, `${what}: the store is not asked`).to.deep.equal([])
      expect(thief.sessionNames(), what).to.deep.equal([])
    }
  })

  it('costs two look-ups when its token is made up, and one when it is good', async () => {
    const { browser, signedIn, calls } = openTestAppWithStore()
    const lookUps = () => calls.splice(0).filter((name) => name === 'getSessionAndUser')
    for (const token of ['ab'.repeat(32), randomUUID(), 'garbage']) {
      const stranger = browser()
      stranger.plant(SESSION, token)
      calls.length = 0
      expect(await stranger.session()).to.equal(null)
      expect(lookUps()).to.have.length(2)
    }
    const ada = await signedIn()
    calls.length = 0
    expect(await ada.session()).to.not.equal(null)
    expect(lookUps()).to.have.length(1)
  })

  it('counts only if its row has the token that was asked for, and its own user', async () => {
    type Row = NonNullable<Awaited<ReturnType<NonNullable<Adapter['getSessionAndUser']>>>>
    const LIES: Readonly<Record<string, (row: Row) => unknown>> = {
      'the row of another': ({ session, user }) => ({ session: { ...session, sessionToken: 'sha256:other' }, user }),
      capitals: ({ session, user }) => ({
        session: { ...session, sessionToken: session.sessionToken.toUpperCase() },
        user,
      }),
      'no token': ({ session, user }) => ({ session: { ...session, sessionToken: undefined }, user }),
      'another user': ({ session, user }) => ({ session, user: { ...user, id: '1816' } }),
      'a user without an id': ({ session, user }) => ({ session, user: { ...user, id: undefined } }),
      'no user': ({ session }) => ({ session, user: null }),
    }
    for (const [what, lie] of Object.entries(LIES)) {
      let isLying = false
      const { signedIn } = openTestAppWithStore({}, (store) => ({
        ...store,
        getSessionAndUser: async (token) => {
          const found = (await store.getSessionAndUser?.(token)) ?? null
          return found && isLying ? (lie(found) as Row) : found
        },
      }))
      const ada = await signedIn()
      isLying = true
      expect(await ada.copy().session(), what).to.equal(null)
      isLying = false
      expect(await ada.session(), what).to.not.equal(null)
    }
  })

  it('SESS-13 shows callbacks and events the digest, never the token, whichever the row has', async () => {
    for (const isOld of [false, true]) {
      const seen: string[] = []
      const note = (message: object) => void seen.push(JSON.stringify(message))
      const { browser, store, clock } = openTestAppWithStore(
        {
          callbacks: {
            session: ({ session }) => {
              note(session)
              return session
            },
          },
          events: { session: note, signOut: note },
        },
        ({ changeSessionToken: _, ...methods }) => methods,
      )
      const ada = browser()
      if (isOld) {
        const expires = new Date(clock.ms + 60_000)
        store.createSession({ sessionToken: 'as-auth-js-kept-it', userId: '1815', expires })
        ada.plant(SESSION, 'as-auth-js-kept-it')
      } else {
        await ada.signIn()
      }
      const token = tokenIn(ada)
      const body = (await ada.get('/auth/session')).body
      await ada.signOut()
      expect(seen, 'callback, event and event').to.have.length(3)
      for (const text of [...seen, body]) expect(text).to.include(storedForm(token)).and.not.include(token)
    }
  })

  it('SESS-01 is not started with a token of generateSessionToken that is malformed', async () => {
    const JUNK: readonly unknown[] = [
      '',
      'short',
      '123456789012345',
      undefined,
      null,
      1234567890123456,
      Promise.resolve('a-token-of-the-application'),
      ['a-token-of-the-application'],
      'a token with blanks in it',
      'ein-schlüssel-mit-umlaut',
      'a-token-with\na-line',
      `sha256:${'0'.repeat(64)}`,
      `SHA-256:${'0'.repeat(64)}`,
    ]
    for (const token of JUNK) {
      const { browser, log, calls } = openTestAppWithStore({
        session: { generateSessionToken: (() => token) as never },
      })
      const ada = browser()
      expect((await ada.signIn()).location, String(token)).to.include('error=Configuration')
      expect(ada.sessionNames()).to.deep.equal([])
      expect(calls).to.not.include('createSession')
      const message = (log.errors[0] as AuthError).cause?.err?.message
      expect(message).to.include('generateSessionToken gave')
      if (typeof token === 'string' && token !== '') expect(message).to.not.include(token)
    }
  })

  it('uses the token of session.generateSessionToken', async () => {
    const { signedIn } = openTestAppWithStore({ session: { generateSessionToken: () => 'a-token-of-the-application' } })
    expect(tokenIn(await signedIn())).to.equal('a-token-of-the-application')
  })

  it('SESS-15 is a 503 while the store is down, never "signed out"', async () => {
    let isDown = false
    const { signedIn } = openTestAppWithStore({}, (store) => ({
      ...store,
      getSessionAndUser: (token) => {
        if (isDown) throw new Error('connect ECONNREFUSED')
        return store.getSessionAndUser?.(token) ?? null
      },
    }))
    const ada = await signedIn()
    isDown = true
    const answer = await ada.get('/auth/session')
    expect({ status: answer.status, body: answer.body, cookies: answer.setCookies }).to.deep.equal({
      status: 503,
      body: 'null',
      cookies: [],
    })
    isDown = false
    expect(await ada.session()).to.not.equal(null)
  })

  describe('that the store cannot delete when its visitor signs out', () => {
    const BROKEN: Readonly<Record<string, (store: Adapter) => Adapter>> = {
      'rejects at deletion': (store) => ({
        ...store,
        deleteSession: () => Promise.reject(new Error('the store is read-only')),
      }),
      'gives null at deletion and deletes nothing': (store) => ({ ...store, deleteSession: async () => null }),
      'says nothing at deletion and deletes nothing': (store) => ({ ...store, deleteSession: async () => undefined }),
      'throws at deletion': (store) => ({
        ...store,
        deleteSession: () => {
          throw new Error('the store is read-only')
        },
      }),
    }
    for (const [how, change] of Object.entries(BROKEN)) {
      it(`ends in this browser, which learns that it may stay valid, if the store ${how} (LOGOUT-02)`, async () => {
        const emitted: unknown[] = []
        const events = { signOut: (message: unknown) => void emitted.push(message) }
        const { signedIn, log, store } = openTestAppWithStore({ events }, change)
        const ada = await signedIn()
        const copy = ada.copy()
        const stored = storedForm(tokenIn(ada))
        const answer = await ada.signOut()
        expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/auth/error?error=SignOut'])
        expect(ada.sessionNames()).to.deep.equal([])
        const page = await ada.get('/auth/error?error=SignOut')
        expect(page.status).to.equal(503)
        expect(page.body).to.include('signed out in this browser').and.include('may still be open')
        expect(log.errors.map(({ name }) => name)).to.deep.equal(['SignOutError'])
        expect((log.errors[0] as AuthError).cause?.err?.message).to.include('deleteSession')
        expect(log.errors[0]?.message).to.match(/deletion is tried again for ten minutes/)
        expect(emitted, 'the event is for sessions that have ended').to.deep.equal([])
        expect(store.getSessionAndUser(stored), 'for other processes it does live on').to.not.equal(null)
        expect(await copy.session(), 'in this process the sign-out counts').to.equal(null)
      })
    }

    it('answers a script with 503, what happened, and where to send the visitor', async () => {
      const { signedIn } = openTestAppWithStore({}, BROKEN['rejects at deletion'])
      const ada = await signedIn()
      const csrfToken = await ada.csrfToken()
      const answer = await ada.post('/auth/signout', { csrfToken }, { 'x-auth-return-redirect': '1' })
      expect([answer.status, answer.location]).to.deep.equal([503, null])
      expect(answer.json()).to.include({ error: 'SignOut', url: 'http://app.example/auth/error?error=SignOut' })
      expect(answer.json().message).to.include('may still be open')
      expect(ada.sessionNames()).to.deep.equal([])
    })

    it('leads to the error page of the application', async () => {
      const { signedIn } = openTestAppWithStore({ pages: { error: '/oops?x=1' } }, BROKEN['rejects at deletion'])
      const ada = await signedIn()
      expect((await ada.signOut()).location).to.equal('http://app.example/oops?x=1&error=SignOut')
    })

    it('is not emitted for a session whose deletion returned nothing, which is looked up once', async () => {
      const looked: string[] = []
      const { signedIn, log } = openTestAppWithStore({}, (store) => ({
        ...store,
        async deleteSession(token) {
          await store.deleteSession?.(token)
          return null
        },
        getSessionAndUser(token) {
          looked.push(token)
          return store.getSessionAndUser?.(token) ?? null
        },
      }))
      const ada = await signedIn()
      const copy = ada.copy()
      await ada.csrfToken()
      looked.length = 0
      expect((await ada.signOut()).location).to.equal('http://app.example')
      expect(looked.length).to.equal(new Set(looked).size)
      expect(log.errors).to.deep.equal([])
      expect(await copy.session()).to.equal(null)
    })

    it('is not emitted for a user who has no session there', async () => {
      const { browser, log } = openTestAppWithStore({}, (store) => ({
        ...store,
        deleteSession: () => Promise.reject(new Error('P2025: no such record')),
      }))
      const stranger = browser()
      stranger.plant(SESSION, 'a-token-that-nobody-has')
      expect((await stranger.signOut()).location).to.equal('http://app.example')
      expect(log.errors).to.deep.equal([])
    })
  })

  it('that Auth.js wrote is honoured and rewritten under its digest', async () => {
    const { browser, clock, store } = openTestAppWithStore()
    const sessionToken = 'a2b7e0c4-7a0b-4f0e-9b57-0f4c7f6f4a11'
    const expires = new Date(clock.ms + 20 * DAY * 1000)
    store.createSession({ sessionToken, userId: '1815', expires })
    const ada = browser()
    ada.plant(SESSION, sessionToken)
    const answers = await Promise.all([ada.copy().session(), ada.copy().session(), ada.session()])
    expect(answers.map((session) => session?.user?.name)).to.deep.equal(['Ada', 'Ada', 'Ada'])
    expect(store.getSessionAndUser(sessionToken)).to.equal(null)
    expect(await ada.session()).to.not.equal(null)
    await ada.signOut()
    expect(await ada.copy().session()).to.equal(null)
  })

  it('shows neither browser nor network to browsers, if the session callback returns what it gets', async () => {
    const { browser } = openTestAppWithStore({ callbacks: { session: ({ session }) => session } })
    const ada = browser()
    const fields = { csrfToken: await ada.csrfToken(), ...ADA }
    await ada.post('/auth/callback/credentials', fields, { 'user-agent': 'Firefox of Ada' })
    const shown = (await ada.get('/auth/session')).body
    expect(shown).to.include('"userId":"1815"').and.not.include('Firefox')
    expect(shown).to.not.match(/network|lastSeenAt|createdAt/)
  })

  it('gives the session callback the row and the user, and an update what the client sent', async () => {
    const seen: unknown[] = []
    const { signedIn } = openTestAppWithStore({
      callbacks: {
        session: ({ session, user, newSession, trigger }) => {
          seen.push({
            id: user.id,
            userId: session.userId,
            isDate: (session.expires as unknown) instanceof Date,
            newSession,
            trigger,
          })
          return { user: { name: String(newSession?.name ?? user.name) }, expires: session.expires }
        },
      },
    })
    const ada = await signedIn()
    expect((await ada.session())?.user).to.deep.equal({ name: 'Ada' })
    expect((await ada.update({ name: 'Countess' })).json().user).to.deep.equal({ name: 'Countess' })
    expect(seen).to.deep.equal([
      { id: '1815', userId: '1815', isDate: true, newSession: undefined, trigger: undefined },
      { id: '1815', userId: '1815', isDate: true, newSession: { name: 'Countess' }, trigger: 'update' },
    ])
  })

  it('leaves nothing behind of a token session that the application had before', async () => {
    const { browser } = openTestAppWithStore()
    const ada = browser()
    ada.plant(`${SESSION}.0`, 'eyJhbGciOiJkaXIi')
    ada.plant(`${SESSION}.1`, 'fQ')
    expect(await ada.session()).to.equal(null)
    expect(ada.sessionNames()).to.deep.equal([])
    await ada.signIn()
    expect(await ada.session()).to.not.equal(null)
  })
})

function openEmpty() {
  const calls: string[] = []
  const store = memoryAdapter()
  const adapter: Adapter = {
    ...store,
    createSession(session) {
      calls.push('createSession')
      return store.createSession(session)
    },
  }
  return { ...openTestApp({ adapter }), calls }
}
