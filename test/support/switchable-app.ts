import type { RequestListener } from 'node:http'
import { ExpressAuth, type ExpressAuthConfig, getSession as getAuthJsSession } from '@auth/express'
import express from 'express'
import { type AuthConfig, expressAuth, getSession } from '../../lib/index.js'
import { listen, type Running } from './app.js'

/** The package that an app uses: Auth.js before the move, Latchkey after it. */
export type PackageName = 'authjs' | 'latchkey'

export const PACKAGE_NAMES: readonly PackageName[] = ['authjs', 'latchkey']

/** One origin, and behind it the same app with either package. */
export interface SwitchableApp extends Running {
  /** Makes the app use the other package, as a changed import would. */
  run(name: PackageName): void
}

/** The one file of the app that changes: which package it imports. */
const PACKAGES = {
  authjs: (config: AuthConfig) => ({
    handler: ExpressAuth(config as unknown as ExpressAuthConfig),
    // biome-ignore lint/suspicious/noExplicitAny: two packages' sessions are compared, not typed
    session: (req: express.Request): Promise<any> =>
      getAuthJsSession(req, config as unknown as Omit<ExpressAuthConfig, 'raw'>),
  }),
  latchkey: (config: AuthConfig) => ({
    handler: expressAuth(config),
    session: (req: express.Request) => getSession(req, config),
  }),
}

/**
 * Starts the same app with both packages, behind one origin.
 *
 * @param configOf a configuration of its own for each package: Auth.js writes into the object it is given
 */
export async function startSwitchableApp(configOf: (name: PackageName) => AuthConfig): Promise<SwitchableApp> {
  const apps = {} as Record<PackageName, RequestListener>
  for (const name of PACKAGE_NAMES) {
    const { handler, session } = PACKAGES[name](configOf(name))
    const app = express()
    app.set('trust proxy', true)
    app.use('/auth', handler)
    app.get('/who', async (req, res) => {
      res.json(await session(req))
    })
    apps[name] = app
  }
  let current: PackageName = 'authjs'
  const running = await listen((req, res) => apps[current](req, res))
  return {
    ...running,
    run(name) {
      current = name
    },
  }
}
