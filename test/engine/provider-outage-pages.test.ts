import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { createLog, passwords, type Running, startApp, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { elements, visibleText } from '../support/html.js'

/** The origin of a server that has ended. */
async function endedOrigin(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

const acme = (more: object) =>
  ({ id: 'acme', name: 'Acme', type: 'oidc', clientId: 'id', clientSecret: 'a secret', ...more }) as const

describe('a provider that is down', () => {
  const running: { close(): Promise<unknown> }[] = []
  afterEach(() => Promise.all(running.splice(0).map((each) => each.close())))

  async function startWith(provider: AuthConfig['providers'][number]) {
    const log = createLog()
    const app: Running = await startApp(testConfig({ providers: [passwords, provider], logger: log.logger }))
    running.push(app)
    return { log, visitor: app.visitor() }
  }

  async function begin(provider: AuthConfig['providers'][number]) {
    const { log, visitor } = await startWith(provider)
    const { location } = await visitor.post('/auth/signin/acme', { csrfToken: await visitor.csrfToken() })
    const address = (location?.pathname ?? '') + (location?.search ?? '')
    return { log, visitor, location, address }
  }

  const expectOutage = async ({ visitor, address }: Awaited<ReturnType<typeof begin>>) => {
    expect(address).to.equal('/auth/error?error=Configuration&code=Unavailable')
    const page = await visitor.get(address)
    expect(page.status).to.equal(503)
    expect(visibleText(page.text))
      .to.match(/try again in a moment/i)
      .and.not.match(/set up incorrectly/)
    const links = elements(page.text, 'a').map((link) => link.get('href') ?? '')
    expect(
      links.some((href) => href.endsWith('/auth/signin')),
      'a way to the other ways to sign in',
    ).to.equal(true)
  }

  it('is shown as temporary, and the log says why: nothing listens', async () => {
    const outcome = await begin(acme({ issuer: await endedOrigin() }))
    await expectOutage(outcome)
    expect(outcome.log.errors.map(({ message }) => message).join()).to.include('ECONNREFUSED')
  })

  it('is shown as temporary: it answers with the status 503', async () => {
    const server = createServer((_req, res) => void res.writeHead(503).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    running.push({ close: async () => server.close() })
    await expectOutage(await begin(acme({ issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })))
  })

  it('is shown as temporary at the end of a sign-in, too', async () => {
    const up = await FakeProvider.start()
    running.push({ close: () => up.stop() })
    const outcome = await begin(acme({ issuer: up.issuer, token: `${await endedOrigin()}/token` }))
    const answer = up.authorize(outcome.location?.href ?? '')
    const { location } = await outcome.visitor.get(`/auth/callback/acme?${answer}`)
    await expectOutage({ ...outcome, address: (location?.pathname ?? '') + (location?.search ?? '') })
    expect(outcome.log.errors.map(({ message }) => message).join()).to.include('ECONNREFUSED')
  })

  it('is no outage if its metadata are of another issuer', async () => {
    const server = createServer((_req, res) => void res.end('{"issuer":"https://other.example"}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    running.push({ close: async () => server.close() })
    const { address } = await begin(acme({ issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
    expect(address).to.equal('/auth/error?error=Configuration')
  })
})
