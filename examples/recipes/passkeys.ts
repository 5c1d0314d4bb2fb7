// Routes with which users list, rename and remove their passkeys.
//
// - Pass members by name, and not `req.body` itself: your code decides `maxAuthAge` and `signsInOtherwise`.
// - Give the `signal` to the browser, so that it no longer offers the passkey: PublicKeyCredential.signalUnknownCredential(signal).
import express, { type NextFunction, type Request, type Response } from 'express'
import {
  type AuthConfig,
  expressAuth,
  listPasskeys,
  MissingCSRF,
  RecentSignInRequired,
  RequestRefused,
  removePasskey,
  renamePasskey,
} from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import Passkey from 'latchkey/providers/passkey'

const config: AuthConfig = { providers: [Passkey()], adapter: memoryAdapter() }

const app = express()
app.use('/auth', expressAuth(config))

app.get('/account/passkeys', async (req, res) => {
  res.json(await listPasskeys(req, config))
})

app.post('/account/passkeys/rename', express.json(), async (req, res) => {
  const { credentialID, name, csrfToken } = req.body
  res.json(await renamePasskey(req, config, { credentialID, name, csrfToken }))
})

app.post('/account/passkeys/remove', express.json(), async (req, res) => {
  const { credentialID, csrfToken } = req.body
  const { signal } = await removePasskey(req, config, { credentialID, csrfToken })
  res.json(signal)
})

app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
  if (error instanceof MissingCSRF) res.status(403).json({ message: 'Not from this page.' })
  else if (error instanceof RecentSignInRequired) res.status(error.status).json({ message: 'Sign in again first.' })
  else if (error instanceof RequestRefused) res.status(error.status).json({ message: error.message })
  else next(error)
})

app.listen(3000)
