import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { requestContext } from '../support/request-context.js'
import { newPerson, registering } from '../support/sign-ins.js'
import { type OpenStore, STORES } from '../support/stores.js'
import { openTestApp, SESSION, type TestApp } from '../support/test-app.js'

const programAt = ({ origin }: TestApp, token: string) => ({
  ...requestContext(undefined, origin),
  header: (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined),
})

for (const { name, requireServer, open } of STORES) {
  describe(`issued tokens in ${name}`, () => {
    let store: OpenStore
    before(async function () {
      await requireServer.call(this)
      store = await open()
    })
    after(() => store?.close())

    for (const strategy of ['database', 'jwt'] as const) {
      it(`keep kind, name, scope and end, and are revoked for good, with the strategy ${strategy}`, async () => {
        const { adapter } = store
        const revocation = strategy === 'jwt' ? { revocation: { store: adapter, checkEvery: 0 } } : {}
        const config: Partial<AuthConfig> = {
          adapter,
          providers: [registering(adapter)],
          session: { strategy, ...revocation },
        }
        const app = openTestApp({ bearer: true, ...config })
        // The rows of the store expire by the time of the machine.
        app.clock.ms = Date.now()
        const browser = app.browser()
        await browser.signIn({ email: newPerson().email ?? '' })
        const request = requestContext(browser.cookieHeader(), browser.origin)
        const { engine } = app
        const { token, id, expires } = await engine.issueToken(request, { maxAge: 600, scope: 'a b', name: 'Backup ✓' })

        const { restricted } = await engine.readSession(programAt(app, token))
        expect([restricted?.id, restricted?.scope, restricted?.session?.expires]).to.deep.equal([
          id,
          'a b',
          expires.toISOString(),
        ])
        const listed = (await engine.listSessions(request))?.find((each) => each.id === id)
        expect(listed).to.deep.include({ kind: 'token', name: 'Backup ✓', scope: 'a b', isCurrent: false })
        const thief = app.browser()
        thief.plant(SESSION, token)
        expect(await thief.current()).to.equal(null)

        expect(await engine.revokeSession(request, id)).to.deep.equal({ isRevoked: true, cookies: [] })
        expect((await engine.readSession(programAt(app, token))).restricted).to.equal(undefined)
        expect(await browser.current()).to.not.equal(null)
      })
    }
  })
}
