import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { WebSocket, type WebSocketServer } from 'ws'
import type { AuthConfig } from '../../../lib/index.js'
import { SECRET } from '../../support/app.js'
import { untyped } from '../../support/untyped.js'
import { Visitor } from '../../support/visitor.js'
import { loadRecipe, signedIn, useVariables } from './recipe.js'

interface Sockets {
  readonly server: Server
  readonly sockets: WebSocketServer
  readonly config: AuthConfig
}

describe('examples/recipes/websockets.ts', () => {
  let recipe: Sockets
  let origin: string
  useVariables({ AUTH_SECRET: SECRET, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' })

  before(async () => {
    // Nobody waits ten seconds in a test.
    recipe = await loadRecipe<Sockets>('websockets.ts', (code) => code.replace('checkEvery: 10', 'checkEvery: 1'))
    recipe.server.listen(0, '127.0.0.1')
    await once(recipe.server, 'listening')
    origin = `http://127.0.0.1:${(recipe.server.address() as AddressInfo).port}`
  })
  after(async () => {
    for (const socket of recipe.sockets.clients) socket.terminate()
    recipe.server.closeAllConnections()
    recipe.server.close()
    await once(recipe.server, 'close')
  })

  const signIn = (name: string) =>
    signedIn(
      { origin, visitor: () => new Visitor(origin), server: recipe.server, close: async () => {} },
      recipe.config,
      { name, email: `${name.toLowerCase()}@example.com` },
    )

  const connect = (visitor: Visitor, from = origin) =>
    new WebSocket(`${origin.replace('http', 'ws')}/chat`, { headers: { cookie: visitor.cookieHeader(), origin: from } })

  /** The status with which the server refuses a connection. */
  const refusal = (socket: WebSocket) =>
    new Promise<number | undefined>((resolve, reject) => {
      socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode))
      socket.once('open', () => reject(new Error('The connection was opened.')))
    })

  it('closes the connection of who sends what is no frame, and no other one (WEB-06)', async () => {
    const ada = await signIn('Ada')
    const [good, bad] = [connect(ada), connect(ada)]
    await Promise.all([once(good, 'open'), once(bad, 'open')])
    const closed = once(bad, 'close')
    // A frame of a client must be masked (RFC 6455 §5.1).
    untyped<{ _socket: Socket }>(bad)._socket.write(Buffer.from([0x81, 0x01, 0x41]))
    await closed
    const heard = once(good, 'message')
    good.send('still here')
    expect(String((await heard)[0])).to.equal('Ada: still here')
    good.close()
    await once(good, 'close')
  })

  it('refuses who is not signed in, and pages of other sites', async () => {
    expect(await refusal(connect(new Visitor(origin)))).to.equal(401)
    expect(await refusal(connect(await signIn('Ada'), 'https://evil.example'))).to.equal(403)
  })

  it('hands messages on, and closes the connection after a sign-out', async () => {
    const ada = await signIn('Ada')
    const grace = await signIn('Grace')
    const [one, other] = [connect(ada), connect(grace)]
    await Promise.all([once(one, 'open'), once(other, 'open')])
    const received = once(other, 'message')
    one.send('Good morning')
    expect(String((await received)[0])).to.equal('Ada: Good morning')
    const closed = once(one, 'close')
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    const [code, reason] = await closed
    expect([code, String(reason)]).to.deep.equal([4401, 'Sign in again.'])
    expect(other.readyState).to.equal(WebSocket.OPEN)
  })
})
