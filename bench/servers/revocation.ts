import { randomUUID } from 'node:crypto'
import express from 'express'
import { type AuthConfig, getSession } from 'latchkey'
import { encode } from 'latchkey/jwt'
import { SECRET } from '../people.js'

const COOKIE = 'authjs.session-token'

/**
 * `GET /see/:count` reads as many sessions, each of them once, in tokens that were never seen before. A store knows all of
 * them and keeps none, so the memory of the process is that of Latchkey.
 */
export async function serve(): Promise<express.Express> {
  const config: AuthConfig = { providers: [], secret: SECRET, trustHost: true, session: { revocation: { store } } }
  const app = express()
  app.get('/see/:count', async (req, res) => {
    let signedIn = 0
    for (let session = 0; session < Number(req.params.count); session += 1) {
      const token = { sub: String(session), name: 'Ada', jti: randomUUID() }
      const cookie = `${COOKIE}=${await encode({ token, secret: SECRET, salt: COOKIE })}`
      const request = { method: 'GET', url: '/', headers: { host: 'localhost', cookie }, socket: req.socket }
      if (await getSession(request as unknown as express.Request, config)) signedIn += 1
    }
    res.json(signedIn)
  })
  return app
}

type Store = NonNullable<NonNullable<AuthConfig['session']>['revocation']>['store']

const store: Store = {
  createTokenSession: () => {},
  updateTokenSession: () => {},
  revokeTokenSession: () => true,
  listTokenSessionsByUserId: () => [],
  async getTokenSession(id) {
    const now = Date.now()
    return {
      id,
      userId: '1',
      createdAt: new Date(now),
      lastSeenAt: new Date(now),
      expires: new Date(now + 24 * 60 * 60 * 1000),
      revokedAt: null,
      tokenIssuedAt: null,
    }
  },
}
