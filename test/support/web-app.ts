import type { AuthConfig } from '../../lib/index.js'
import { testConfig } from './app.js'

/** The public origin of the applications whose requests are those of the web. */
export const ORIGIN = 'https://app.example'
/** What a browser says when a page of the application sends a request. */
export const OWN_PAGE = { origin: ORIGIN, referer: `${ORIGIN}/notes`, 'sec-fetch-site': 'same-origin' }

/** A provider that nobody answers for: enough to see where a sign-in leads. */
export const github = {
  id: 'github',
  name: 'GitHub',
  type: 'oauth',
  clientId: 'client',
  clientSecret: 'secret',
  authorization: 'https://github.example/authorize',
  token: 'https://github.example/token',
  userinfo: 'https://github.example/user',
} as const

/** A configuration that signs Ada in, and has a provider. */
export function webConfig(more: Partial<AuthConfig> = {}): AuthConfig {
  const base = testConfig()
  return { ...base, url: ORIGIN, providers: [...base.providers, github], ...more }
}
