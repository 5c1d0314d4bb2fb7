import type * as Memory from '../../dist/adapters/memory.js'
import type * as Core from '../../dist/index.js'
import type * as Providers from '../../dist/providers/index.js'

// The build that the package would be published with, seen from the compiled file.
const build = (file: string): Promise<unknown> => import(new URL(`../../../dist/${file}`, import.meta.url).href)

/** Latchkey as built in this repository. */
export const loadLatchkey = (): Promise<typeof Core> => build('index.js') as Promise<typeof Core>

/** `latchkey/adapters/memory` */
export const loadMemoryAdapter = (): Promise<typeof Memory> => build('adapters/memory.js') as Promise<typeof Memory>

/** `latchkey/providers` */
export const loadProviders = (): Promise<typeof Providers> => build('providers/index.js') as Promise<typeof Providers>

/** `latchkey/providers/<name>` */
export const loadProvider = (name: string): Promise<ProviderFile> =>
  build(`providers/catalogue/${name}.js`) as Promise<ProviderFile>

interface ProviderFile {
  readonly default: (client: { clientId: string; clientSecret: string }) => Core.Provider
}
