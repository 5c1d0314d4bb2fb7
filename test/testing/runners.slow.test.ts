import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { linkPackages, OWN_DEPENDENCIES } from '../packaging/bundled/program.js'
import { ENVIRONMENT, packed } from '../support/packed.js'

const run = promisify(execFile)

/** What a project with tests installs beside Latchkey. */
const INSTALLED = [
  ...OWN_DEPENDENCIES,
  '@simplewebauthn/server',
  ...['express', 'supertest', 'mocha', 'vitest', 'jest'],
]

const APPLICATION = `
const createApp = (config) =>
  express()
    .use('/auth', expressAuth(config))
    .get('/private', requireAuth(config), async (req, res) => res.json((await getSession(req, config)).user.email))

const configOf = (more) => ({ secret: 'a secret that is long enough for anything', url: 'http://localhost:3000', ...more })
`

/** The tests of a project. `itMovesTheDate` has the fake date of the runner, if it has one. */
const testsWith = (itMovesTheDate: string) => `
describe('the application', () => {
  const providers = [Credentials({ authorize: () => null })]

  it('knows a user whom signInAs has signed in', async () => {
    const config = configOf({ providers })
    const ada = await signInAs(config, { email: 'ada@example.com' })
    const { body } = await request(createApp(config)).get('/private').set('Cookie', ada.cookie).expect(200)
    assert.equal(body, 'ada@example.com')
  })

  it('signs in at the fake provider, and refuses a wrong nonce', async () => {
    const provider = await fakeOpenIdProvider({ user: { sub: 'grace', email: 'grace@example.com' } })
    const browser = request.agent(createApp(configOf({ providers: [provider.entry()], logger: { error() {} } })))
    const signIn = async () => {
      const { csrfToken } = (await browser.get('/auth/csrf')).body
      const { headers } = await browser.post('/auth/signin/fake').type('form').send({ csrfToken })
      const back = await provider.visit(headers.location)
      return (await browser.get(back.pathname + back.search)).headers.location
    }
    provider.misbehave('wrong-nonce')
    assert.match(await signIn(), /error=Configuration/)
    await signIn()
    assert.equal((await browser.get('/private')).body, 'grace@example.com')
    await provider.close()
  })

  it('signs up with a passkey', async () => {
    const browser = request.agent(createApp(configOf({ adapter: memoryAdapter(), providers: [Passkey()] })))
    const authenticator = softwareAuthenticator({ origin: 'http://localhost:3000' })
    const { body } = await browser.get('/auth/webauthn-options/passkey?email=ada@example.com')
    await browser.post('/auth/callback/passkey').type('form').send(authenticator.answer(body)).expect(302)
    assert.equal((await browser.get('/private')).body, 'ada@example.com')
  })

  it('ends a session after thirty days', async () => {
    const config = configOf({ providers })
    const { cookie } = await signInAs(config, { email: 'ada@example.com' })
    const app = createApp(config)
    const clock = testClock()
    clock.advance({ days: 31 })
    await request(app).get('/private').set('Cookie', cookie).expect(401)
    clock.restore()
    await request(app).get('/private').set('Cookie', cookie).expect(200)
  })
${itMovesTheDate}
})
`

/** The last test, with a runner's own fake date. */
const movesDate = (set: string, restore: string) => `
  it('follows the fake date of the test runner', async () => {
    const config = configOf({ providers })
    const { cookie } = await signInAs(config, { email: 'ada@example.com' })
    const app = createApp(config)
    const inAMonth = Date.now() + 31 * 24 * 60 * 60 * 1000
    ${set}
    await request(app).get('/private').set('Cookie', cookie).expect(401)
    ${restore}
    await request(app).get('/private').set('Cookie', cookie).expect(200)
  })`

const IMPORTS = `
import assert from 'node:assert/strict'
import express from 'express'
import request from 'supertest'
import { expressAuth, getSession, requireAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import Credentials from 'latchkey/providers/credentials'
import Passkey from 'latchkey/providers/passkey'
import { fakeOpenIdProvider, signInAs, softwareAuthenticator, testClock } from 'latchkey/testing'
`

const REQUIRES = `
const assert = require('node:assert/strict')
const express = require('express')
const request = require('supertest')
const { expressAuth, getSession, requireAuth } = require('latchkey')
const { memoryAdapter } = require('latchkey/adapters/memory')
const Credentials = require('latchkey/providers/credentials')
const Passkey = require('latchkey/providers/passkey')
const { fakeOpenIdProvider, signInAs, softwareAuthenticator, testClock } = require('latchkey/testing')
`

interface Runner {
  readonly name: string
  /** Its command line, after that of Node. */
  readonly command: readonly string[]
  readonly type: 'module' | 'commonjs'
  readonly code: string
  /** What it prints when all tests have passed. */
  readonly passed: RegExp
}

const RUNNERS: readonly Runner[] = [
  {
    name: 'mocha',
    command: ['node_modules/mocha/bin/mocha.js', 'app.test.js'],
    type: 'module',
    code: IMPORTS + APPLICATION + testsWith(''),
    passed: /^ +4 passing/m,
  },
  {
    name: 'node:test',
    command: ['--test'],
    type: 'module',
    code: `import { describe, it, mock } from 'node:test'\n${IMPORTS}${APPLICATION}${testsWith(
      movesDate(`mock.timers.enable({ apis: ['Date'], now: inAMonth })`, 'mock.timers.reset()'),
    )}`,
    passed: /^. pass 5$/m,
  },
  {
    name: 'Vitest',
    command: ['node_modules/vitest/vitest.mjs', 'run'],
    type: 'module',
    code: `import { describe, it, vi } from 'vitest'\n${IMPORTS}${APPLICATION}${testsWith(
      movesDate('vi.setSystemTime(inAMonth)', 'vi.useRealTimers()'),
    )}`,
    passed: /Tests +5 passed \(5\)/,
  },
  {
    name: 'Jest',
    command: ['node_modules/jest/bin/jest.js'],
    type: 'commonjs',
    code: `${REQUIRES}${APPLICATION}${testsWith(
      movesDate(
        `const dateOnly = { doNotFake: ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }
    jest.useFakeTimers({ ...dateOnly, now: inAMonth })`,
        'jest.useRealTimers()',
      ),
    )}`,
    passed: /Tests: +5 passed, 5 total/,
  },
]

describe('latchkey/testing, as it is published, in a project whose tests run in', function () {
  // The package is built first.
  this.timeout(300_000)
  let folder: string

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-runners-')))
    const latchkey = join(folder, 'node_modules/latchkey')
    mkdirSync(latchkey, { recursive: true })
    await run('tar', ['xzf', (await packed()).tarball, '-C', latchkey, '--strip-components=1'])
    linkPackages(folder, INSTALLED)
  })
  after(() => {
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  for (const { name, command, type, code, passed } of RUNNERS) {
    it(name, async () => {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'application', private: true, type }))
      writeFileSync(join(folder, 'app.test.js'), code)
      // The variables of the mocha that runs this test are not those of the project.
      const { NODE_ENV: _, NODE_TEST_CONTEXT: __, ...env } = ENVIRONMENT
      const { stdout, stderr } = await run(process.execPath, command, {
        cwd: folder,
        env: { ...env, NO_COLOR: '1' },
      }).catch((failure) => failure)
      expect(stdout + stderr, stdout + stderr).to.match(passed)
    })
  }
})
