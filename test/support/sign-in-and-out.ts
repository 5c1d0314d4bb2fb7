import type { RequestListener } from 'node:http'
import express from 'express'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { type AuthConfig, expressAuth } from '../../lib/index.js'
import { listen, testConfig } from './app.js'
import { newPerson, registering } from './sign-ins.js'
import type { Visitor } from './visitor.js'

/** What a snippet of a document made: an application, or what goes into one. */
export interface Made {
  readonly app?: unknown
  readonly config?: AuthConfig
  readonly adapters?: readonly Adapter[]
}

/**
 * Signs somebody in by what a snippet made, reads the session, and ends it; then ends the process.
 *
 * @throws {Error} when one of them does not happen
 */
export async function signInAndOut({ app, config, adapters = [config?.adapter].filter((given) => !!given) }: Made) {
  if (app) await signInAndOutOfApp(app as RequestListener)
  for (const adapter of adapters) await signInAndOutWithAdapter(adapter as Required<Adapter>, config)
  console.log(`signed in and out: ${app ? 'an application' : adapters.length}`)
  process.exit()
}

async function signInAndOutWithAdapter(adapter: Required<Adapter>, config: Partial<AuthConfig> = {}) {
  const { email } = newPerson()
  const app = express()
  app.use('/auth', expressAuth(testConfig({ ...config, adapter, providers: [registering(adapter)] })))
  const visitor = (await listen(app)).visitor()
  await visitor.signIn({ email: email ?? '' })
  await readAndEnd(visitor, email)
}

/** An application as it stands, whose providers are far away: somebody is in its database already. */
async function signInAndOutOfApp(app: RequestListener) {
  const database = sqlAdapter({ url: process.env['DATABASE_URL'] ?? '' })
  const { email } = newPerson()
  const user = await database.createUser({ id: 'ada', email: email ?? '', emailVerified: null })
  const expires = new Date(Date.now() + 60 * 60 * 1000)
  await database.createSession({ sessionToken: 'as-the-cookie-has-it', userId: user.id, expires })
  const visitor = (await listen(app)).visitor()
  visitor.jar.set('authjs.session-token', 'as-the-cookie-has-it')
  await readAndEnd(visitor, email)
}

async function readAndEnd(visitor: Visitor, email: string | null) {
  const shown = await visitor.session()
  if (shown?.user?.email !== email) throw new Error(`not signed in: ${JSON.stringify(shown)}`)
  const copy = visitor.copy()
  await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
  if ((await copy.session()) !== null) throw new Error('not signed out')
}
