import { once } from 'node:events'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { InvalidConfiguration, type UpgradeOptions, upgradeSession } from '../../../lib/index.js'
import { type BearerApp, STRATEGIES, sessionValue, startBearerApp } from '../../support/bearer-app.js'
import { failureOf } from '../../support/failure.js'
import { inAHurry } from '../../support/timers.js'
import { untyped } from '../../support/untyped.js'

for (const strategy of STRATEGIES) {
  describe(`upgradeSession and a bearer token, with ${strategy} sessions`, () => {
    inAHurry()
    let app: BearerApp
    const sockets = new WebSocketServer({ noServer: true })
    afterEach(async () => {
      for (const connection of sockets.clients) connection.terminate()
      await app.close()
    })
    const start = async (options: UpgradeOptions = {}, bearer = true) => {
      app = await startBearerApp(strategy, { bearer })
      app.server.on('upgrade', async (req, socket, head) => {
        const upgrade = await upgradeSession(req, app.config, options)
        if (upgrade.status !== 101) {
          socket.end(`HTTP/1.1 ${upgrade.status} Refused\r\nConnection: close\r\n\r\n`)
          return
        }
        sockets.handleUpgrade(req, socket, head, (connection) => {
          upgrade.signal.addEventListener('abort', () => connection.close(4401))
          connection.send(`Hello ${upgrade.session.user?.name} ${upgrade.session.scope ?? ''}`)
        })
      })
    }
    /** What the server says: the first message, or the status of the refusal. */
    const connect = (headers: Record<string, string>) => {
      const socket = new WebSocket(app.origin.replace('http', 'ws'), { headers })
      return new Promise<{ socket: WebSocket; said: string | number }>((resolve, reject) => {
        socket.once('message', (data) => resolve({ socket, said: data.toString() }))
        socket.once('unexpected-response', (request, { statusCode = 0 }) => {
          request.destroy()
          resolve({ socket, said: statusCode })
        })
        socket.once('error', reject)
      })
    }
    const withToken = async (token: string, more: Record<string, string> = {}) =>
      (await connect({ authorization: `Bearer ${token}`, ...more })).said

    it('opens a connection for a script, which has no Origin', async () => {
      await start()
      expect(await withToken((await app.issued()).token)).to.equal('Hello Ada ')
      expect(await withToken('nothing')).to.equal(401)
    })

    it('still asks for the origin with a cookie, also beside another scheme', async () => {
      await start()
      const cookie = (await app.signedIn()).cookieHeader()
      expect((await connect({ cookie })).said).to.equal(403)
      expect((await connect({ cookie, authorization: 'Basic eA==' })).said).to.equal(403)
      expect((await connect({ cookie, authorization: 'Bearer nothing' })).said).to.equal(401)
    })

    it('asks for the origin where the configuration does not read the header', async () => {
      await start({}, false)
      const ada = await app.signedIn()
      expect(await withToken(sessionValue(ada))).to.equal(403)
      expect(await withToken(sessionValue(ada), { origin: app.origin })).to.equal(401)
    })

    it('opens one for a token with a scope only if it is named', async () => {
      await start({ scope: 'live' })
      expect(await withToken((await app.issued({ maxAge: 60, scope: 'live more' })).token)).to.equal(
        'Hello Ada live more',
      )
      expect(await withToken((await app.issued({ maxAge: 60, scope: 'more' })).token)).to.equal(403)
    })

    it('opens none for a token with a scope if no scope is named', async () => {
      await start()
      expect(await withToken((await app.issued({ maxAge: 60, scope: 'live' })).token)).to.equal(403)
    })

    it('closes the connection when the token is signed out', async () => {
      await start({ checkEvery: 1, scope: 'live' })
      const { token } = await app.issued({ maxAge: 60, scope: 'live' })
      const { socket } = await connect({ authorization: `Bearer ${token}` })
      const closed = once(socket, 'close')
      await app.send('/auth/signout', `Bearer ${token}`, { method: 'POST' })
      expect((await closed)[0]).to.equal(4401)
    })

    it('refuses what is no scope', async () => {
      await start()
      const req = untyped<Parameters<typeof upgradeSession>[0]>({})
      const failure = await failureOf(upgradeSession(req, app.config, untyped<UpgradeOptions>({ scope: undefined })))
      expect(failure).to.be.instanceOf(InvalidConfiguration)
    })
  })
}
