import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthConfig } from '../../lib/index.js'
import { createApp } from './app.js'
import { startIdentityProvider } from './identity-provider.js'

/** A running demo. */
export interface Demo {
  readonly url: string
  /** URL of the OpenID provider beside it. */
  readonly issuer: string
  /** Whether a secret was made for this run, since there is none in the environment. */
  readonly madeSecret: boolean
  close(): Promise<void>
}

/** How the demo starts. */
export interface DemoOptions {
  /** 0 for any that is free; 3000 by default. */
  readonly port?: number
  /** The console by default. */
  readonly logger?: AuthConfig['logger']
}

/**
 * Starts the application and the OpenID provider beside it, both reachable from this machine only.
 */
export async function startDemo({ port = 3000, logger }: DemoOptions = {}): Promise<Demo> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const own = (server.address() as AddressInfo).port
  const url = `http://localhost:${own}`
  // Whoever opens the one may just as well have typed the other.
  const hosts = [url, `http://127.0.0.1:${own}`]
  const provider = await startIdentityProvider(
    url,
    hosts.map((host) => `${host}/auth/callback/harbour`),
  )
  const given = process.env.AUTH_SECRET
  const secret = given || randomBytes(33).toString('base64')
  server.on('request', createApp({ secret, provider, logger }))
  return {
    url,
    issuer: provider.issuer,
    madeSecret: !given,
    close: () =>
      new Promise((resolve) => {
        provider.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
