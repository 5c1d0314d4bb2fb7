import { expect } from 'chai'
import type { Express } from 'express'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { type AuthConfig, listPasskeys, removePasskey, renamePasskey } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Visitor } from '../../support/visitor.js'

/** Somebody who looks at the session: whether they take the visitor for Ada. */
interface Consumer {
  /** What is done while the session is good. */
  readonly prepare?: (opened: unknown, visitor: Visitor) => Promise<string>
  readonly takesForAda: (
    opened: {
      readonly adapter: Required<Adapter>
      readonly userId: string
      /** Of a passkey that is stored for her. */
      readonly credentialID: string
    },
    visitor: Visitor,
    prepared: string,
  ) => Promise<boolean>
}

const own = (visitor: Visitor) => ({ origin: visitor.origin })

/** Either it is, or nobody is: an answer that is neither is a fault of the test, or worse. */
const decided = (status: number, yes: number, no: number): boolean => {
  expect([yes, no], `status ${status}`).to.include(status)
  return status === yes
}

function mount(express: Express, config: AuthConfig): void {
  express.get('/passkeys', async (req, res) => res.json(await listPasskeys(req, config)))
  express.post('/passkeys/rename/:id', async (req, res) => {
    const credentialID = decodeURIComponent(req.params.id)
    res.json(await renamePasskey(req, config, { credentialID, name: 'Renamed' }))
  })
  express.post('/passkeys/remove/:id', async (req, res) => {
    const credentialID = decodeURIComponent(req.params.id)
    res.json(await removePasskey(req, config, { credentialID, signsInOtherwise: true }))
  })
}

const consumers: Readonly<Record<string, Consumer>> = {
  'options for a further passkey': {
    async takesForAda(_, visitor) {
      return decided((await visitor.get('/auth/webauthn-options/passkey?action=register')).status, 200, 400)
    },
  },
  'registering a passkey that was begun before': {
    async prepare(_, visitor) {
      const { options } = (await visitor.get('/auth/webauthn-options/passkey?action=register')).json()
      return new SoftAuthenticator(visitor.origin).register(options)
    },
    async takesForAda({ adapter, userId }, visitor, data) {
      const count = async () => (await adapter.listAuthenticatorsByUserId(userId)).length
      const before = await count()
      await visitor.post('/auth/callback/passkey', { action: 'register', data })
      return (await count()) > before
    },
  },
  listPasskeys: {
    takesForAda: async (_, visitor) => decided((await visitor.get('/passkeys')).status, 200, 401),
  },
  renamePasskey: {
    async takesForAda({ credentialID }, visitor) {
      const path = `/passkeys/rename/${encodeURIComponent(encodeURIComponent(credentialID))}`
      return decided((await visitor.post(path, {}, own(visitor))).status, 200, 401)
    },
  },
  removePasskey: {
    async takesForAda({ credentialID }, visitor) {
      const path = `/passkeys/remove/${encodeURIComponent(encodeURIComponent(credentialID))}`
      return decided((await visitor.post(path, {}, own(visitor))).status, 200, 401)
    },
  },
}

export default { provider: () => Passkey(), mount, consumers }
