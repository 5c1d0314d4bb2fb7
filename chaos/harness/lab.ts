import { join } from 'node:path'
import type { Lab } from '../experiment.js'
import { type App, startAgain, startApp } from './app.js'
import { execute } from './lifetime.js'
import { startProvider } from './provider.js'
import { startProxy } from './proxy.js'
import { type Server, startMariaDB, startPostgres, startRedis } from './servers.js'

const STARTERS: Readonly<Record<Server['name'], () => Promise<Server>>> = {
  PostgreSQL: startPostgres,
  MariaDB: startMariaDB,
  Redis: startRedis,
}

/** The servers of a whole run. Each starts when it is first needed. */
export type Servers = Map<Server['name'], Promise<Server>>

/** A lab for one experiment, and a function that removes it. */
export interface OpenLab {
  readonly lab: Lab
  close(): Promise<void>
}

export function openLab(modules: string, servers: Servers, progress: Lab['progress']): OpenLab {
  const endings: (() => Promise<unknown>)[] = []
  const keep = (app: App): App => {
    endings.push(app.kill)
    return app
  }
  const lab: Lab = {
    modules,
    progress,
    server(name) {
      const server = servers.get(name) ?? STARTERS[name]()
      servers.set(name, server)
      return server
    },
    async proxyBefore({ port }) {
      const proxy = await startProxy(port)
      endings.push(proxy.close)
      return proxy
    },
    async provider() {
      const provider = await startProvider()
      endings.push(provider.stop)
      return provider
    },
    app: async (settings) => keep(await startApp({ modules, store: { kind: 'none' }, strategy: 'jwt', ...settings })),
    appAgain: async (app) => keep(await startAgain(app)),
    async migrate(url) {
      const script = join(modules, 'cli', 'latchkey')
      const how = modules.endsWith('lib') ? ['--import', 'tsx', `${script}.ts`] : [`${script}.js`]
      const limits = { timeout: 300_000, killSignal: 'SIGKILL' } as const
      await execute(process.execPath, [...how, 'migrate', 'up', '--database', url], limits)
    },
    afterwards: (work) => void endings.push(work),
  }
  return {
    lab,
    async close() {
      for (const end of endings.reverse()) await end().catch(() => undefined)
    },
  }
}
