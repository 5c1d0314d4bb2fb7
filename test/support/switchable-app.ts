import type { RequestListener } from 'node:http'
import { ExpressAuth, type ExpressAuthConfig, getSession as getAuthJsSession } from '@auth/express'
import express from 'express'
import { type AuthConfig, expressAuth, getSession } from '../../lib/index.js'
import { listen, type Running } from './app.js'

/** What an app runs on: what it had, and what it moves to. */
export type PackageName = 'authjs' | 'latchkey'

export const PACKAGE_NAMES: readonly PackageName[] = ['authjs', 'latchkey']

/** One origin, and the same app behind it on either side. */
export interface SwitchableApp extends Running {
  /** Changes the import. */
  run(side: PackageName): void
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
 * Starts the same app on both sides, behind one origin.
 *
 * @param configOf a configuration of its own for each side: Auth.js writes into the object it is given
 */
export async function startSwitchableApp(configOf: (side: PackageName) => AuthConfig): Promise<SwitchableApp> {
  const apps = {} as Record<PackageName, RequestListener>
  for (const side of PACKAGE_NAMES) {
    const { handler, session } = PACKAGES[side](configOf(side))
    const app = express()
    app.set('trust proxy', true)
    app.use('/auth', handler)
    app.get('/who', async (req, res) => {
      res.json(await session(req))
    })
    apps[side] = app
  }
  let current: PackageName = 'authjs'
  const running = await listen((req, res) => apps[current](req, res))
  return {
    ...running,
    run(side) {
      current = side
    },
  }
}
