import type { Express } from 'express'
import { type AuthConfig, listPasskeys } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'

/** A route of an application that lists passkeys. */
export default {
  what: 'passkeys',
  provider: () => Passkey(),
  path: '/passkeys',
  method: 'listAuthenticatorsByUserId',
  mount(server: Express, config: AuthConfig): void {
    server.get('/passkeys', async (req, res) => {
      const found = await listPasskeys(req, config).catch((error: Error) => error.name)
      res.json(found)
    })
  },
}
