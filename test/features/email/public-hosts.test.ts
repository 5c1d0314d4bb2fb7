import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, expressAuth, InvalidConfiguration } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import type { SendVerificationRequestParams } from '../../../lib/providers/provider.js'
import { createLog, listen, type Running, testConfig } from '../../support/app.js'
import { withEnv } from '../../support/env.js'
import { sendRaw } from '../../support/raw-http.js'

describe('the host of a mailed link', () => {
  let app: Running
  let mails: SendVerificationRequestParams[]
  let stored: number
  let log: ReturnType<typeof createLog>
  afterEach(() => app?.close())

  const configure = (more: Partial<AuthConfig> = {}): AuthConfig => {
    mails = []
    stored = 0
    log = createLog()
    const adapter = memoryAdapter()
    const createVerificationToken: NonNullable<typeof adapter.createVerificationToken> = async (token) => {
      stored += 1
      return adapter.createVerificationToken?.(token)
    }
    const providers = [Email({ sendVerificationRequest: (mail) => void mails.push(mail) })]
    const store = { ...adapter, createVerificationToken }
    return testConfig({ providers, adapter: store, logger: log.logger, limits: false, ...more })
  }

  const start = async (config: AuthConfig, trustProxy: unknown = false) => {
    app = await listen(express().set('env', 'test').set('trust proxy', trustProxy).use('/auth', expressAuth(config)))
  }

  /** Asks for a link as an attacker would, who knows an address and needs no browser. */
  const ask = async (named: Record<string, string>) => {
    const csrf = await sendRaw(app.origin, '/auth/csrf', { headers: named })
    if (csrf.status !== 200) return csrf
    const cookie = csrf.setCookie.map((line) => line.split(';')[0]).join('; ')
    const body = new URLSearchParams({
      csrfToken: JSON.parse(csrf.body).csrfToken,
      email: 'ada@example.com',
    }).toString()
    const headers = {
      ...named,
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': `${body.length}`,
    }
    return sendRaw(app.origin, '/auth/signin/email', { method: 'POST', headers, body })
  }

  it('must be configured in production, and the start says so (WEB-04)', async () => {
    for (const trust of [{}, { AUTH_TRUST_HOST: 'true' }, { VERCEL: '1' }] as Record<string, string>[]) {
      await withEnv({ NODE_ENV: 'production', ...trust }, async () => {
        for (const config of [configure(), configure({ trustHost: true })]) {
          expect(() => expressAuth(config))
            .to.throw(InvalidConfiguration)
            .with.property('message')
            .that.matches(/mail/)
            .and.matches(/`url`/)
            .and.matches(/AUTH_URL/)
            .and.matches(/`hosts`/)
        }
        for (const more of [{ url: 'https://app.example' }, { hosts: ['app.example'] }]) {
          expect(() => expressAuth(configure(more))).to.not.throw()
        }
      })
    }
    await withEnv({ NODE_ENV: 'production', AUTH_URL: 'https://app.example' }, async () => {
      expect(() => expressAuth(configure())).to.not.throw()
    })
    await withEnv({ NODE_ENV: 'production' }, async () => {
      expect(() => expressAuth(testConfig())).to.not.throw()
    })
  })

  it('is taken from a request outside production on this machine only (WEB-04)', async () => {
    await start(configure())
    for (const host of ['localhost:3000', '127.0.0.1', '127.1.2.3:80', '[::1]:3000', 'app.localhost']) {
      expect((await ask({ host })).status, host).to.equal(302)
      expect(mails.pop()?.url).to.contain(`http://${host.replace(/:80$/, '')}/auth/callback/email?`)
    }
    stored = 0
    for (const host of [
      'evil.example',
      '192.168.0.7',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '0.0.0.0',
      '[::2]',
      '8.8.8.8',
    ]) {
      const { status, body } = await ask({ host })
      expect([status, mails, stored], host).to.deep.equal([500, [], 0])
      expect(body).to.not.contain('hosts')
      expect(log.errors.pop()?.message, host)
        .to.match(/`url`/)
        .and.match(/AUTH_URL/)
        .and.match(/`hosts`/)
    }
  })

  it('is not what a proxy passes on, unless `hosts` has it (WEB-04)', async () => {
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example' }
    await start(configure(), 1)
    expect((await ask(forged)).status).to.equal(500)
    await app.close()
    await withEnv({ NODE_ENV: 'production' }, async () => {
      await start(configure({ hosts: ['app.example'] }), 1)
      expect((await ask(forged)).status).to.equal(400)
      expect(mails).to.deep.equal([])
      expect((await ask({ ...forged, 'x-forwarded-host': 'evil.example, app.example' })).status).to.equal(302)
    })
    expect(mails.pop()?.url).to.contain('http://app.example/auth/callback/email?')
  })
})
