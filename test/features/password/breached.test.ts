import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { setPassword } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Password from '../../../lib/providers/password.js'
import { createLog, testConfig } from '../../support/app.js'
import { visibleText } from '../../support/html.js'
import { openTestApp, whoIs } from '../../support/test-app.js'

const STOLEN = 'copper lantern under seven bridges'
const OTHER = 'nine quiet windows facing the harbour'
const digestOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase()

/** A range as the service answers it: lines that end with CR and LF, and padding that counts zero times. */
const rangeOf = (...found: string[]) => [...found, `${'0'.repeat(34)}A:0`, `${'F'.repeat(34)}B:0`].join('\r\n')

describe('new passwords that are known from breaches', () => {
  let asked: IncomingMessage[] = []
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  let url = ''
  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`
  })
  after(() => server.close())
  beforeEach(() => {
    asked = []
    answer = (_request, response) => response.end(rangeOf(`${digestOf(STOLEN).slice(5)}:42`))
  })

  /** Whether the password of a user was stored, or why not. With null, nobody is asked. */
  async function store(password: string, breached: { whenUnavailable?: 'accept' | 'refuse' } | null = {}) {
    const adapter = memoryAdapter()
    const log = createLog()
    const user = { id: 'ada', email: 'ada@example.com', emailVerified: new Date() }
    await adapter.createUser(user)
    const passwords = Password(breached ? { breached: { url, ...breached } } : {})
    const providers = [passwords, Nodemailer({ server: 'smtp://localhost:1', from: 'no-reply@example.com' })]
    const config = testConfig({ adapter, providers, logger: log.logger })
    const reason = await setPassword(config, { userId: 'ada', password }).then(
      () => null,
      (error: unknown) => (error as { reason?: string }).reason ?? error,
    )
    return { reason, log }
  }

  it('PWD-04: are refused, and the service learns five characters of a digest', async () => {
    expect((await store(STOLEN)).reason).to.equal('breached')
    expect((await store(OTHER)).reason).to.equal(null)
    expect(asked.map(({ url: path }) => path)).to.deep.equal(
      [STOLEN, OTHER].map((password) => `/range/${digestOf(password).slice(0, 5)}`),
    )
    expect(asked.map(({ headers }) => headers['add-padding'])).to.deep.equal(['true', 'true'])
  })

  it('are none of those that only pad the answer', async () => {
    answer = (_request, response) => response.end(rangeOf(`${digestOf(STOLEN).slice(5)}:0`))
    expect((await store(STOLEN)).reason).to.equal(null)
  })

  it('are looked up only if the configuration says so, and not when they are refused anyway', async () => {
    expect((await store(STOLEN, null)).reason).to.equal(null)
    expect((await store('too short')).reason).to.equal('too-short')
    expect((await store('passwordpassword')).reason).to.equal('common')
    expect(asked).to.have.lengthOf(0)
  })

  const failures: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    'answers that it has too much to do': (_request, response) => response.writeHead(429).end(),
    'answers nothing': (_request, response) => response.end(),
    'answers empty lines': (_request, response) => response.end('\r\n\r\n'),
    'answers a list of which a line is broken': (_request, response) =>
      response.end(`${rangeOf()}\r\n${'0'.repeat(12)}`),
    'answers a page in place of a list': (_request, response) => response.end('<!doctype html><p>Blocked'),
    'leads elsewhere': (_request, response) => response.writeHead(302, { location: 'https://elsewhere.example' }).end(),
    'breaks off': ({ socket }) => socket.destroy(),
  }
  for (const [what, fail] of Object.entries(failures)) {
    it(`PWD-04: are accepted or refused, as the configuration says, if the service ${what}`, async () => {
      answer = fail
      for (const [whenUnavailable, reason] of [
        [undefined, null],
        ['accept', null],
        ['refuse', 'unavailable'],
      ] as const) {
        const result = await store(OTHER, whenUnavailable ? { whenUnavailable } : {})
        expect(result.reason).to.equal(reason)
        const [line] = result.log.errors
        expect(line?.message).to.equal('Breached passwords could not be looked up.')
        expect(inspect(line, { depth: 9 }))
          .to.not.include(digestOf(OTHER).slice(5))
          .and.not.include(digestOf(OTHER).slice(0, 5))
      }
    })
  }

  it('are accepted or refused after three seconds without an answer', async () => {
    answer = () => {}
    const results = await Promise.all([store(OTHER), store(OTHER, { whenUnavailable: 'refuse' })])
    expect(results.map(({ reason }) => reason)).to.deep.equal([null, 'unavailable'])
  }).timeout(10_000)

  it('PWD-04: are refused on the page, and the link goes on to count', async () => {
    const links: string[] = []
    const mail = Email({ sendVerificationRequest() {}, sendNotification: (sent) => void links.push(sent.url) })
    const providers = [Password({ breached: { url } }), mail]
    const app = openTestApp({ adapter: memoryAdapter(), providers, limits: false })
    const browser = app.browser()
    const send = async (path: string, fields: Record<string, string>) =>
      browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields }, { accept: 'text/html' })
    await send('password', { email: 'ada@example.com' })
    const token = new URL(links[0] ?? '').searchParams.get('token') ?? ''
    const refused = await send('password/choose', { token, newPassword: STOLEN })
    expect(refused.status).to.equal(422)
    expect(visibleText(refused.body)).to.include('Attackers have this password')
    expect(await whoIs(browser)).to.equal(null)
    expect((await send('password/choose', { token, newPassword: OTHER })).status).to.equal(302)
    expect(await whoIs(browser)).to.equal('ada@example.com')
  })
})
