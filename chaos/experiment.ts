import type { AppSettings } from './app/settings.js'
import type { Finding } from './finding.js'
import type { App } from './harness/app.js'
import type { Provider } from './harness/provider.js'
import type { StoreProxy } from './harness/proxy.js'
import type { Server } from './harness/servers.js'

/** What an experiment works with. Everything that it starts ends with the experiment, except the servers. */
export interface Lab {
  /** Folder of the modules of Latchkey that are tested. */
  readonly modules: string
  /** Shows the present step, on one line. */
  readonly progress: (text: string) => void
  /** A running server. All experiments share it. */
  server(name: Server['name']): Promise<Server>
  proxyBefore(server: Server): Promise<StoreProxy>
  provider(): Promise<Provider>
  /** Starts a process of the application. Without further settings, it has no store, and sessions in tokens. */
  app(settings: Partial<AppSettings> & Pick<AppSettings, 'issuer'>): Promise<App>
  /** Starts a killed or stopped process again. */
  appAgain(app: App): Promise<App>
  /** Creates the tables of `latchkey/adapters/sql`, with the command of the package. */
  migrate(url: string): Promise<void>
  /** Registers a function that runs when the experiment has ended. */
  afterwards(work: () => Promise<unknown>): void
}

/** One experiment. `run.ts` has the list of them. */
export interface Experiment {
  /** A sentence that says what happens to the application. */
  readonly title: string
  /** Seconds after which the experiment is stopped. */
  readonly limit: number
  run(lab: Lab): Promise<readonly Finding[]>
}
