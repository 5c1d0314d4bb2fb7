import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import express, { type RequestHandler } from 'express'
import express4 from 'express4'
import { expressAuth } from '../../../lib/index.js'
import Credentials from '../../../lib/providers/credentials.js'
import { ADA, listen, type Running, testConfig } from '../../support/app.js'
import type { Visitor } from '../../support/visitor.js'

/** Reads the whole body and leaves no trace of it. */
const eater: RequestHandler = (req, _res, next) => {
  req.resume()
  req.on('end', () => next())
}

/** Makes every chunk of the body a text. */
const decoder: RequestHandler = (req, _res, next) => {
  req.setEncoding('utf8')
  next()
}

const READERS: Readonly<Record<string, RequestHandler[]>> = {
  'express.text': [express.text({ type: '*/*' })],
  'express.raw': [express.raw({ type: '*/*' })],
  "Express 4's express.json only": [express4.json()],
  'req.setEncoding, which reads nothing': [decoder],
  'express.json that takes any value': [express.json({ strict: false })],
}

async function signInAs(ada: Visitor, kind: 'form' | 'json') {
  if (kind === 'form') return ada.signIn(ADA)
  return ada.postJson('/auth/callback/credentials', { csrfToken: await ada.csrfToken(), ...ADA })
}

describe('bodies that the app has read before', () => {
  let app: Running
  afterEach(() => app.close())

  const start = async (...before: RequestHandler[]) => {
    app = await listen(
      express()
        .use(...before)
        .use('/auth', expressAuth(testConfig())),
    )
    return app.visitor()
  }

  for (const [name, before] of Object.entries(READERS)) {
    for (const kind of ['form', 'json'] as const) {
      it(`signs in by ${kind} after ${name}`, async () => {
        const ada = await start(...before)
        expect((await signInAs(ada, kind)).cookies.has('authjs.session-token')).to.equal(true)
      })
    }
  }

  it('says so when another middleware has eaten the body', async () => {
    const ada = await start(eater)
    const answer = await ada.signIn(ADA)
    expect(answer.status).to.equal(400)
    expect(answer.json().message).to.match(/body was read before Latchkey/)
    expect(answer.cookies.has('authjs.session-token')).to.equal(false)
  })

  it('reads a compressed body only when the app has unpacked it', async () => {
    for (const [before, status] of [
      [[express.urlencoded()], 302],
      [[], 415],
    ] as const) {
      const ada = await start(...before, (_req, _res, next) => next())
      const body = gzipSync(new URLSearchParams({ csrfToken: await ada.csrfToken(), ...ADA }).toString())
      const answer = await fetch(`${app.origin}/auth/callback/credentials`, {
        method: 'POST',
        redirect: 'manual',
        body,
        headers: {
          cookie: ada.cookieHeader(),
          'content-encoding': 'gzip',
          'content-type': 'application/x-www-form-urlencoded',
        },
      })
      expect(answer.status).to.equal(status)
      await app.close()
    }
  })

  it('hands nested values of a JSON body to authorize as they were sent', async () => {
    const seen: unknown[] = []
    const provider = Credentials({ authorize: (credentials) => seen.push(credentials) < 0 && null })
    app = await listen(express().use('/auth', expressAuth(testConfig({ providers: [provider] }))))
    const ada = app.visitor()
    const code = { parts: [1, 2], remember: true }
    await ada.postJson('/auth/callback/credentials', { csrfToken: await ada.csrfToken(), code })
    expect(seen).to.deep.equal([{ code }])
  })
})
