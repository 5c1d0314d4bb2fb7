import type { RequestListener } from 'node:http'
import express from 'express'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { type AuthConfig, expressAuth } from '../../lib/index.js'
import { listen, testConfig } from './app.js'
import { newPerson, registering } from './sign-ins.js'
import type { Visitor } from './visitor.js'

/** What a snippet of a document created: an application, or its parts. */
export interface Made {
  readonly app?: unknown
  readonly config?: AuthConfig
  readonly adapters?: readonly Adapter[]
}

/**
 * Signs a user in with what a snippet created, reads the session, signs out, and ends the process.
 *
 * @throws {Error} if one of these steps fails
 */
export async function signInAndOut({ app, config, adapters = [config?.adapter].filter((given) => !!given) }: Made) {
  if (app) await signInAndOutOfApp(app as RequestListener)
  for (const adapter of adapters) await signInAndOutWithAdapter(adapter as Required<Adapter>, config)
  console.log(`signed in and out: ${app ? 'an application' : adapters.length}`)
  process.exit()
}

async function signInAndOutWithAdapter(adapter: Required<Adapter>, config: Partial<AuthConfig> = {}) {
  const { email } = newPerson()
  // The first call loads the driver, which may take longer than a call may take.
  await Promise.resolve(adapter.getUserByEmail(email ?? '')).catch(() => null)
  const app = express()
  app.use('/auth', expressAuth(testConfig({ ...config, adapter, providers: [registering(adapter)] })))
  const visitor = (await listen(app)).visitor()
  await visitor.signIn({ email: email ?? '' })
  await readAndEnd(visitor, email)
}

/** An unchanged application. The test cannot reach its providers, so it writes a user and a session to the database. */
async function signInAndOutOfApp(app: RequestListener) {
  const database = sqlAdapter({ url: process.env['DATABASE_URL'] ?? '' })
  const { email } = newPerson()
  const user = await database.createUser({ id: 'ada', email: email ?? '', emailVerified: null })
  const expires = new Date(Date.now() + 60 * 60 * 1000)
  await database.createSession({ sessionToken: 'as-the-cookie-has-it', userId: user.id, expires })
  const visitor = (await listen(app)).visitor()
  visitor.jar.set('authjs.session-token', 'as-the-cookie-has-it')
  // The first request loads the driver of the application, which may take longer than a call may take.
  await visitor.get('/auth/session')
  await readAndEnd(visitor, email)
}

async function readAndEnd(visitor: Visitor, email: string | null) {
  const shown = await visitor.session()
  if (shown?.user?.email !== email) throw new Error(`not signed in: ${JSON.stringify(shown)}`)
  const copy = visitor.copy()
  await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
  if ((await copy.session()) !== null) throw new Error('not signed out')
}
