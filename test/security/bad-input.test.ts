import { expect } from 'chai'
import express, { type RequestHandler } from 'express'
import express4 from 'express4'
import { expressAuth, getSession, requireAuth } from '../../lib/index.js'
import { ADA, createLog, listen, type Running, testConfig } from '../support/app.js'
import { type RawRequest, sendRaw } from '../support/raw-http.js'
import type { Visitor } from '../support/visitor.js'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const KIB = 1024

/** Parsers that apps have before Latchkey; what is refused must not depend on them. */
const PARSERS: Readonly<Record<string, RequestHandler[]>> = {
  'without parsers': [],
  "with Express 5's parsers": [express.json({ limit: '1mb' }), express.urlencoded({ extended: true, limit: '1mb' })],
  "with Express 5's simple parsers": [express.json({ limit: '1mb' }), express.urlencoded({ limit: '1mb' })],
  "with Express 4's parsers": [express4.json({ limit: '1mb' }), express4.urlencoded({ extended: true, limit: '1mb' })],
}

for (const [name, parsers] of Object.entries(PARSERS)) {
  describe(`bad input, ${name}`, () => {
    let app: Running
    let ada: Visitor
    let csrfToken: string
    const log = createLog()

    before(async () => {
      const config = testConfig({ logger: log.logger })
      const server = express().set('env', 'test')
      server.use(...parsers, (_req, _res, next) => next())
      server.use('/auth', expressAuth(config))
      server.get('/whoami', async (req, res) => void res.json(await getSession(req, config)))
      server.get('/private', requireAuth(config), (_req, res) => void res.send('ran'))
      app = await listen(server)
      ada = app.visitor()
      await ada.signIn(ADA)
      csrfToken = await ada.csrfToken()
    })
    after(() => app.close())

    /** Sends what a test describes. For every answer, Ada must be signed in afterwards, and no fault may be logged. */
    const send = async (target: string, { headers, ...request }: RawRequest = {}) => {
      const answer = await sendRaw(app.origin, target, {
        ...request,
        headers: { cookie: ada.cookieHeader(), ...headers },
      })
      expect(answer.status, target.slice(0, 60)).to.be.within(200, 499)
      expect((await ada.session())?.user.name, 'the session after it').to.equal('Ada')
      return answer
    }

    const post = (
      type: string | null,
      body: string | Buffer,
      headers: Record<string, string> = {},
      path = '/auth/session',
    ) =>
      send(path, {
        method: 'POST',
        body,
        headers: {
          'content-length': String(Buffer.byteLength(body)),
          ...(type !== null && { 'content-type': type }),
          ...headers,
        },
      })

    /** A form and a JSON body with a good token, and more. */
    const form = (more: string) => `csrfToken=${csrfToken}&${more}`
    const json = (more: string) => `{"csrfToken":"${csrfToken}",${more}}`

    it('takes good bodies, so that what is refused below is refused for its fault', async () => {
      expect((await post(FORM, form('data=x'))).status).to.equal(200)
      expect((await post(JSON_TYPE, json('"data":{"a":[1]}'))).status).to.equal(200)
      expect((await post('APPLICATION/JSON; Charset=UTF-8', json('"data":1'))).status).to.equal(200)
      expect((await post(`${FORM};charset="utf-8"`, form('data=ü'))).status).to.equal(200)
    })

    it('answers 413 to bodies of more than 64 KiB, announced or not (WEB-05)', async () => {
      for (const [type, body] of [
        [FORM, form(`data=${'a'.repeat(64 * KIB)}`)],
        [JSON_TYPE, json(`"data":"${'a'.repeat(64 * KIB)}"`)],
      ] as const) {
        expect((await post(type, body)).status).to.equal(413)
        const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        const headers = { 'content-type': type, 'transfer-encoding': 'chunked' }
        const answer = await send('/auth/session', { method: 'POST', body: chunked, headers })
        // A parser of the app's own has taken it already; then it counts as it was read.
        expect(answer.status).to.equal(parsers.length === 0 ? 413 : answer.status)
        expect(answer.status).to.be.oneOf([200, 413])
      }
    })

    it('answers 415 to bodies that a page of another site can send unasked, and to other charsets (CSRF-05)', async () => {
      for (const type of [
        'text/plain',
        'text/plain;charset=utf-8',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/jsonp',
        'application/x-www-form-urlencoded2',
        'application',
        'text/json',
        ';',
        '*/*',
        null,
      ]) {
        expect((await post(type, json('"data":1'))).status, String(type)).to.equal(415)
      }
      for (const charset of ['latin1', 'utf-16', 'utf-7', 'shift_jis', 'nonsense']) {
        expect((await post(`${FORM}; charset=${charset}`, form('data=1'))).status, charset).to.equal(415)
      }
    })

    it('answers 400 to malformed JSON, and to JSON that is no object', async () => {
      for (const body of [
        '{',
        '{"a"}',
        'undefined',
        "{'a':1}",
        '[]',
        '[1]',
        '[{"csrfToken":"x"}]',
        '"text"',
        '1',
        'null',
        'true',
        '{"a":1}x',
        '\ufeff{}x',
      ]) {
        expect((await post(JSON_TYPE, body)).status, body).to.equal(400)
      }
    })

    it('answers 400 to deep nesting', async () => {
      const deep = (open: string, close: string) => `"data":${open.repeat(500)}${close.repeat(500)}`
      expect((await post(JSON_TYPE, json(deep('[', ']')))).status).to.equal(400)
      expect((await post(JSON_TYPE, json(`"data":${'{"a":'.repeat(500)}1${'}'.repeat(500)}`))).status).to.equal(400)
      expect((await post(FORM, form(`data${'[a]'.repeat(500)}=1`))).status).to.be.oneOf([200, 400])
    })

    it('answers 400 to NUL, in names and in values', async () => {
      for (const body of ['data=%00', 'data=a%00b', 'a%00b=1'])
        expect((await post(FORM, form(body))).status, body).to.equal(400)
      for (const body of ['"data":"\\u0000"', '"data":{"a":["x\\u0000"]}', '"a\\u0000":1', '"data":{"a\\u0000":1}']) {
        expect((await post(JSON_TYPE, json(body))).status, body).to.equal(400)
      }
    })

    it('never pollutes a prototype (WEB-07)', async () => {
      for (const name of ['__proto__', 'constructor', 'prototype']) {
        for (const body of [
          `"${name}":{"polluted":1}`,
          `"data":{"${name}":{"polluted":1}}`,
          `"data":[{"${name}":1}]`,
        ]) {
          expect((await post(JSON_TYPE, json(body))).status, body).to.equal(400)
        }
        for (const field of [
          name,
          `${name}[polluted]`,
          `${name}.polluted`,
          `a[${name}][polluted]`,
          `constructor[${name}][polluted]`,
        ]) {
          // An extended parser drops some of these itself, and then nothing is left to refuse.
          expect((await post(FORM, form(`${field}=1`))).status, field).to.be.oneOf(
            parsers.length === 0 ? [400] : [200, 400],
          )
          expect((await send(`/auth/signin?${field}=1`)).status, field).to.equal(400)
          expect((await post(FORM, form('a=1'), {}, `/auth/signin?${field}=1`)).status, field).to.equal(400)
        }
      }
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined)
    })

    it('answers 400 to repeated fields and parameters (WEB-07)', async () => {
      expect((await post(FORM, form(`csrfToken=${csrfToken}`))).status).to.equal(400)
      expect((await post(FORM, form('data=1&data=2'))).status).to.equal(400)
      for (const path of ['signin', 'session', 'csrf', 'error', 'callback/credentials', 'providers']) {
        expect((await send(`/auth/${path}?callbackUrl=/a&callbackUrl=/b`)).status, path).to.be.oneOf([400, 405])
      }
    })

    it('ignores parameters of a query that are none of its own, twice or in another encoding', async () => {
      for (const path of ['signin', 'session', 'csrf', 'error', 'providers', 'signout', 'verify-request']) {
        const plain = (await send(`/auth/${path}`)).status
        for (const query of [
          'utm_source=a&utm_source=b',
          'ref=M%FCnchen',
          'ref=%&ref=%zz',
          'a=%ff&error_description=%e4&b',
        ]) {
          expect((await send(`/auth/${path}?${query}`)).status, `${path} ${query}`).to.equal(plain)
        }
        expect((await send(`/auth/${path}?utm=1&callbackUrl=/a&utm=2&callback%55rl=/b`)).status, path).to.equal(400)
        expect((await send(`/auth/${path}?utm=%fc&callback%55rl=%fc`)).status, path).to.equal(400)
      }
    })

    it('answers 400 to broken percent-encoding and to what is not UTF-8', async () => {
      for (const broken of ['%', '%z', '%zz', '%f', '%ff', '%c3', '%ed%a0%80', '%c0%af', 'a%']) {
        expect((await send(`/auth/signin?email=${broken}`)).status, broken).to.equal(400)
        expect((await send(`/auth/session?${broken}`)).status, broken).to.equal(400)
        expect((await send(`/auth/${broken}`)).status, broken).to.equal(404)
        expect((await send(`/auth/callback/${broken}`)).status, broken).to.equal(404)
        if (parsers.length === 0) expect((await post(FORM, form(`data=${broken}`))).status, broken).to.equal(400)
      }
      if (parsers.length > 0) return
      expect((await post(FORM, Buffer.from(form('data=\xff'), 'latin1'))).status).to.equal(400)
      expect((await post(JSON_TYPE, Buffer.from(json('"data":"\xff"'), 'latin1'))).status).to.equal(400)
    })

    it('skips cookies that are broken, and reads the others', async () => {
      const session = `authjs.session-token=${ada.jar.get('authjs.session-token')}`
      for (const junk of [
        '=',
        ';',
        '=x',
        'x',
        ';;;',
        '%=%',
        'a=%ff',
        'a=%00',
        '"=" ',
        'a="',
        'authjs.session-token',
        '__proto__=x',
        'constructor=1',
        `big=${'x'.repeat(5000)}`,
        'a\x01=b',
      ]) {
        const answer = await sendRaw(app.origin, '/whoami', { headers: { cookie: `${junk}; ${session}` } })
        const refusedByNode = junk.includes('\x01')
        expect(answer.body, junk.slice(0, 20)).to.contain(refusedByNode ? '' : 'Ada')
      }
      for (const name of ['authjs.callback-url', 'authjs.csrf-token', 'authjs.state', 'authjs.pkce.code_verifier']) {
        for (const value of ['', '%', '%00', '|', '%7C%7C', 'x'.repeat(4000), 'a.b.c.d.e', '"']) {
          for (const path of ['/auth/signin', '/auth/session', '/auth/csrf', '/auth/signout', '/auth/error']) {
            const { status } = await sendRaw(app.origin, path, { headers: { cookie: `${name}=${value}; ${session}` } })
            expect(status, `${path} ${name}=${value.slice(0, 9)}`).to.equal(200)
          }
        }
      }
    })

    it('answers 404 or 405 to odd paths and methods', async () => {
      for (const path of [
        '',
        '/',
        '/SIGNIN',
        '/signin/a/b',
        '/constructor',
        '/__proto__',
        '/toString',
        '/csrf/x',
        '/%73ession',
        '/session%20',
        '/signin/__proto__',
        '/callback/constructor',
        '/..',
        '/session/..',
      ]) {
        expect((await send(`/auth${path}`)).status, path).to.equal(404)
      }
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH', 'QUERY']) {
        const { status, headers } = await send('/auth/session', { method })
        if (status !== 400) expect([status, headers.get('allow')], method).to.deep.equal([405, 'GET, HEAD, POST'])
      }
    })

    it('answers long URLs and many parameters', async () => {
      expect((await send(`/auth/signin?callbackUrl=/${'a'.repeat(7000)}`)).status).to.equal(200)
      expect((await send(`/auth/${'a'.repeat(7000)}`)).status).to.equal(404)
      expect(
        (await send(`/auth/signin?${Array.from({ length: 900 }, (_, index) => `p${index}=1`).join('&')}`)).status,
      ).to.equal(200)
      expect((await send(`/auth/signin?${'a'.repeat(20 * KIB)}`)).status).to.equal(431)
    })

    it('guards stay shut, and sound, for odd Cookie and Authorization headers (CVE-2026-73418)', async () => {
      for (const value of ['%', 'Bearer %', `Bearer ${'x'.repeat(8000)}`, 'Bearer', 'Basic =', '\xff']) {
        const headers = { authorization: value, cookie: `authjs.session-token=${value}` }
        expect((await sendRaw(app.origin, '/private', { headers })).status, value.slice(0, 12)).to.equal(401)
      }
    })

    it('never logs a fault for any of it', () => {
      expect(log.errors.filter((error) => !log.infos.includes(error))).to.deep.equal([])
      expect([...new Set(log.infos.map(({ name }) => name))]).to.include('RequestRefused')
    })
  })
}

describe('a body that never ends', () => {
  it('is given up when the sender goes away, and hurts nobody', async () => {
    const app = await listen(express().use('/auth', expressAuth(testConfig())))
    const controller = new AbortController()
    const endless = fetch(`${app.origin}/auth/session`, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body: new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) }),
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit)
    setTimeout(() => controller.abort(), 20)
    await endless.catch(() => {})
    expect((await app.visitor().get('/auth/session')).status).to.equal(200)
    await app.close()
  })
})
