import { visitor } from '../../lib/frameworks/solid-start/index.js'
import { webAuth } from '../../lib/frameworks/web/index.js'
import { type AuthConfig, defineAuth } from '../../lib/index.js'
import type { OperationName } from '../../lib/visitor/visitor.js'
import { untyped } from './untyped.js'
import { ORIGIN } from './web-app.js'

export type Headers_ = Readonly<Record<string, string>>
type Call = (name: OperationName, args: readonly unknown[], headers: Headers_, method?: string) => Promise<unknown>
type Functions = Record<string, (...args: unknown[]) => Promise<unknown>>

function named(functions: Functions, name: string): NonNullable<Functions[string]> {
  const found = functions[name]
  if (!found) throw new TypeError(`There is no ${name}().`)
  return found
}

/** How code of an application calls the operations. The other integrations of frameworks stand on the second one, too. */
export const EDGES: Readonly<Record<string, (config: AuthConfig) => Call>> = {
  'defineAuth, and so the functions of Express': (config) => {
    const functions = untyped<Functions>(defineAuth(config))
    return async (name, args, headers, method = 'POST') =>
      named(functions, name)(
        { method, url: '/x', headers: { host: 'app.example', ...headers }, socket: { on() {}, off() {} } },
        ...args,
      )
  },
  'latchkey/web': (config) => {
    const auth = webAuth(config)
    return async (name, args, headers, method = 'POST') => {
      const request = { method, url: `${ORIGIN}/x`, headers: new Headers(headers) }
      return named(untyped<Functions>(auth.forRequest(request)), name)(...args)
    }
  },
  SolidStart:
    (config) =>
    async (name, args, headers, method = 'POST') => {
      const request = new Request(`${ORIGIN}/x`, { method, headers })
      const own = await visitor({ request, response: { headers: new Headers() } }, config)
      return named(untyped<Functions>(own), name)(...args)
    },
}
