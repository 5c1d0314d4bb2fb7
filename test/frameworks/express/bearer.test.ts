import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { type BearerApp, curl, STRATEGIES, sessionValue, startBearerApp } from '../../support/bearer-app.js'
import { NAVIGATION, navigate } from '../../support/guard.js'
import { SESSION } from '../../support/test-app.js'
import { later } from '../../support/timers.js'

/** The first line of what the server answers to lines that no client would write. */
async function statusOf(origin: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(`${lines.join('\r\n')}\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
  const [chunk] = await once(socket, 'data')
  socket.destroy()
  return String(chunk).split('\r\n', 1)[0] ?? ''
}

for (const strategy of STRATEGIES) {
  describe(`a session in Authorization, with ${strategy} sessions`, () => {
    let app: BearerApp
    afterEach(() => app.close())
    const start = async (
      ...args: Parameters<typeof startBearerApp> extends [unknown, ...infer Rest] ? Rest : never
    ) => {
      app = await startBearerApp(strategy, ...args)
      return app
    }

    it('is accepted from curl, as the session of the cookie and as an issued token', async () => {
      await start()
      const ada = await app.signedIn()
      const { token } = await app.issued()
      for (const value of [sessionValue(ada), token]) {
        const answer = await curl('-H', `Authorization: Bearer ${value}`, `${app.origin}/private`)
        expect([answer.status, answer.body]).to.deep.equal([200, 'Hello Ada'])
        expect(answer.head)
          .to.match(/^vary: .*cookie, authorization/im)
          .and.to.not.match(/set-cookie/i)
        expect(answer.head).to.match(/^cache-control: private, no-cache, no-store/im)
      }
    })

    it('is asked for by curl without one, and a bad one is named as such', async () => {
      await start()
      const none = await curl(`${app.origin}/private`)
      expect([none.status, none.body]).to.deep.equal([401, '{"message":"Sign in first."}'])
      expect(none.head).to.match(/^www-authenticate: Bearer realm="session"\r?$/im)
      const bad = await curl('-H', 'Authorization: Bearer nothing', `${app.origin}/private`)
      expect(bad.status).to.equal(401)
      expect(bad.head).to.match(/^www-authenticate: Bearer realm="session", error="invalid_token"\r?$/im)
      expect(bad.head).to.not.match(/set-cookie|location/i)
    })

    it('is refused with 403 and the missing scope', async () => {
      await start()
      const { token } = await app.issued({ maxAge: 60, scope: 'users:list' })
      const answer = await curl('-H', `authorization: bearer ${token}`, `${app.origin}/reports`)
      expect([answer.status, answer.body]).to.deep.equal([403, '{"message":"This token does not allow that."}'])
      expect(answer.head).to.match(
        /^www-authenticate: Bearer realm="session", error="insufficient_scope", scope="reports:read"\r?$/im,
      )
    })

    it('never leads a program to the sign-in page, even if it says that it is a browser', async () => {
      await start()
      const { token } = await app.issued({ maxAge: 60, scope: 'users:list' })
      for (const value of ['nothing', token]) {
        const answer = await app.send('/private', `Bearer ${value}`, { headers: NAVIGATION })
        expect([answer.status, answer.headers.get('location')]).to.deep.equal([value === token ? 403 : 401, null])
        expect(answer.headers.get('content-type')).to.equal('application/json')
      }
      expect((await navigate(app.visitor(), '/private')).status).to.equal(302)
    })

    it('ignores the header where the option is off', async () => {
      await start({ bearer: false })
      const ada = await app.signedIn()
      const authorization = `Bearer ${sessionValue(ada)}`
      const answer = await app.send('/private', authorization)
      expect([answer.status, answer.headers.get('www-authenticate')]).to.deep.equal([401, null])
      expect(answer.headers.get('vary')).to.equal('Cookie')
      expect((await ada.get('/private', { authorization: 'Bearer nothing' })).text).to.equal('Hello Ada')
    })

    it('counts in place of the cookie beside it, good or bad', async () => {
      await start({
        callbacks: {
          session: ({ session, token, user }) => ({ ...session, user: { name: user?.name ?? token?.name } }),
        },
      })
      const ada = await app.signedIn()
      for (const bad of ['Bearer nothing', 'Bearer', 'Bearer ', 'bearer a b', 'BEARER a,b', 'Bearer =', 'Bearer "x"']) {
        expect((await ada.get('/private', { authorization: bad })).status, bad).to.equal(401)
        expect((await ada.get('/auth/session', { authorization: bad })).text, bad).to.equal('null')
      }
      const { token } = await app.issued()
      const other = app.visitor()
      other.jar.set(SESSION, 'the session of somebody else')
      const answer = await other.get('/private', { authorization: `Bearer ${token}` })
      expect([answer.text, answer.setCookie]).to.deep.equal(['Hello Ada', []])
      expect((await ada.get('/private')).text).to.equal('Hello Ada')
    })

    it('leaves other schemes to the application', async () => {
      await start()
      const ada = await app.signedIn()
      for (const authorization of ['Basic YWRhOmxvdmVsYWNl', 'Digest username="ada"', 'Bearertoken', 'Bearer-x y']) {
        expect((await ada.get('/private', { authorization })).text, authorization).to.equal('Hello Ada')
      }
      expect((await app.send('/private', 'Basic YWRhOmxvdmVsYWNl')).status).to.equal(401)
    })

    it('counts for nothing if there are two headers, or two tokens in one', async () => {
      await start()
      const { token } = await app.issued()
      const cookie = `Cookie: ${SESSION}=${sessionValue(await app.signedIn())}`
      const good = `Authorization: Bearer ${token}`
      const one = 'HTTP/1.1 200 OK'
      const none = 'HTTP/1.1 401 Unauthorized'
      const first = 'GET /private HTTP/1.1'
      expect(await statusOf(app.origin, [first, good])).to.equal(one)
      expect(await statusOf(app.origin, [first, good, good])).to.equal(none)
      expect(await statusOf(app.origin, [first, good, 'authorization: Bearer x', cookie])).to.equal(none)
      expect(await statusOf(app.origin, [first, 'Authorization: Basic eA==', good, cookie])).to.equal(none)
      expect(await statusOf(app.origin, [first, `${good}, Bearer x`, cookie])).to.equal(none)
      expect(await statusOf(app.origin, [first, `Authorization: Basic eA==, Bearer ${token}`, cookie])).to.equal(none)
    })

    it('is read neither from the query nor from the body (RFC 6750 §2.2, §2.3)', async () => {
      await start()
      const { token } = await app.issued()
      expect((await app.send(`/private?access_token=${token}`)).status).to.equal(401)
      const body = new URLSearchParams({ access_token: token })
      expect((await app.send('/private', undefined, { method: 'POST', body })).status).to.equal(401)
    })

    it('answers HEAD and OPTIONS as GET, and gives no page of another origin permission', async () => {
      await start()
      const { token } = await app.issued()
      for (const method of ['HEAD', 'OPTIONS']) {
        const headers = { origin: 'https://evil.example', 'access-control-request-headers': 'authorization' }
        expect((await app.send('/private', `Bearer ${token}`, { method, headers })).status, method).to.equal(200)
        const refused = await app.send('/private', 'Bearer nothing', { method, headers })
        expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([
          401,
          'Bearer realm="session", error="invalid_token"',
        ])
        const preflight = await app.send('/auth/session', undefined, { method, headers })
        const granted = [...preflight.headers.keys()].filter((name) => name.startsWith('access-control-'))
        expect(granted, method).to.deep.equal([])
      }
    })

    it('survives a header of 100 KB', async () => {
      await start()
      const answer = await app.send('/private', `Bearer ${'a'.repeat(100_000)}`).catch(() => null)
      expect(answer?.status ?? 431).to.equal(431)
      expect((await app.send('/private')).status).to.equal(401)
    })

    it('is not renewed, and no answer sets a cookie', async () => {
      await start({ session: { updateAge: 0 } })
      const ada = await app.signedIn()
      const before = (await ada.session()).expires
      const authorization = `Bearer ${sessionValue(ada)}`
      for (const path of ['/private', '/peek', '/open', '/auth/session', '/auth/providers']) {
        const answer = await later(1100, () => app.send(path, authorization))
        expect([answer.status, answer.headers.getSetCookie()], path).to.deep.equal([200, []])
        if (path === '/auth/session') expect((await answer.json()).expires).to.equal(before)
      }
    })

    it('keeps the rules about a recent sign-in, and those of `allow`', async () => {
      await start()
      const ada = await app.signedIn()
      const { token } = await app.issued()
      expect((await app.send('/recent', `Bearer ${sessionValue(ada)}`)).status).to.equal(200)
      const tooOld = await app.send('/recent', `Bearer ${token}`)
      expect([tooOld.status, tooOld.headers.get('www-authenticate')]).to.deep.equal([
        401,
        'Bearer realm="session", error="insufficient_user_authentication", max_age="300"',
      ])
      const forbidden = await app.send('/nobody', `Bearer ${token}`)
      expect([forbidden.status, forbidden.headers.get('www-authenticate')]).to.deep.equal([403, null])
    })

    it('changes no session from a route of the application', async () => {
      await start()
      const { token } = await app.issued()
      const answer = await app.send('/update', `Bearer ${token}`, { method: 'POST' })
      expect([answer.status, answer.headers.getSetCookie()]).to.deep.equal([403, []])
    })
  })
}

describe('a session in Authorization that is in several cookies', () => {
  it('is the joined value', async () => {
    const app = await startBearerApp('jwt', {
      callbacks: { jwt: ({ token }) => ({ ...token, long: 'x'.repeat(4000) }) },
    })
    try {
      const ada = await app.signedIn()
      expect(ada.jar.has(SESSION)).to.equal(false)
      expect(await (await app.send('/private', `Bearer ${sessionValue(ada)}`)).text()).to.equal('Hello Ada')
    } finally {
      await app.close()
    }
  })
})

describe('the `authorized` callback and a session in Authorization', () => {
  it('answers a program with a good token with 403, and one with a bad token with 401', async () => {
    const asked: unknown[] = []
    const app = await startBearerApp('jwt', {
      callbacks: { authorized: ({ auth }) => asked.push(auth?.user?.name) < 0 },
    })
    try {
      const { token } = await app.issued()
      const restricted = await app.issued({ maxAge: 60, scope: 'users:list' })
      expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(403)
      expect((await app.send('/private', 'Bearer nothing')).status).to.equal(401)
      expect((await app.send('/private', `Bearer ${restricted.token}`)).status).to.equal(403)
      expect(asked).to.deep.equal(['Ada', undefined])
    } finally {
      await app.close()
    }
  })
})
