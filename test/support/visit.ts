import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import type { BodyFields } from '../../lib/kernel/body.js'
import { incomingFromRequest } from '../../lib/kernel/incoming.js'
import type { SignInCallback } from '../../lib/sign-in/ask-signin.js'
import { Visit } from '../../lib/sign-in/visit.js'
import { testConfig } from './app.js'

const CONFIG = resolveConfig(testConfig(), { env: readEnv({}), now: Date.now })

/** What a request brings. */
export interface VisitOptions extends Pick<RequestInit, 'method' | 'headers'> {
  readonly cookies: ReadonlyMap<string, string>
  readonly fields?: BodyFields
  readonly returnTarget?: string
  /** The callback of the application; null for none. */
  readonly signIn?: SignInCallback | null
}

/** A request to the mount of an application, from a browser in which nobody is signed in. Its body is not read yet. */
export function visitOf(
  mountUrl: string,
  target: string,
  { cookies, fields = {}, returnTarget, signIn = null, ...init }: VisitOptions,
): Visit {
  const { origin, pathname } = new URL(mountUrl)
  const incoming = {
    ...incomingFromRequest(new Request(mountUrl + target, init)),
    cookies: new Map(cookies),
    fields: async () => fields,
  }
  const config = { ...CONFIG, callbacks: { ...CONFIG.callbacks, signIn } }
  const visit = new Visit(incoming, { origin, basePath: pathname }, config)
  visit.leadTo(returnTarget ?? `${origin}/`)
  return visit
}
