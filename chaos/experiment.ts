import type { AppSettings } from './app/settings.js'
import type { Finding } from './finding.js'
import type { App } from './harness/app.js'
import type { Provider } from './harness/provider.js'
import type { StoreProxy } from './harness/proxy.js'
import type { Server } from './harness/servers.js'

/** What an experiment works with. Whatever comes from here ends with the experiment; servers stay for the next one. */
export interface Lab {
  /** Folder of the modules that are tried. */
  readonly modules: string
  /** Says what is going on, on one line. */
  readonly progress: (text: string) => void
  /** A server that runs, the same one for all experiments. */
  server(name: Server['name']): Promise<Server>
  proxyBefore(server: Server): Promise<StoreProxy>
  provider(): Promise<Provider>
  /** Starts a process of the application: over no store and with token sessions, unless it is told otherwise. */
  app(settings: Partial<AppSettings> & Pick<AppSettings, 'issuer'>): Promise<App>
  /** The same process, killed or stopped, again. */
  appAgain(app: App, changes?: Partial<AppSettings>): Promise<App>
  /** Makes the tables of `latchkey/adapters/sql`, by the command line of the package. */
  migrate(url: string): Promise<void>
  /** Runs the command line of the package. @returns exit code, and what it wrote */
  command(words: readonly string[]): Promise<{ readonly code: number; readonly output: string }>
  /** Has something done when the experiment is over. */
  afterwards(work: () => Promise<unknown>): void
}

/** A file of `experiments/` exports one as `experiment`. */
export interface Experiment {
  /** A sentence: what is done to the application. */
  readonly title: string
  /** Seconds after which it is given up. */
  readonly limit: number
  run(lab: Lab): Promise<readonly Finding[]>
}
