import type { AuthConfig, SecurityEvent } from '../../../lib/index.js'
import { testSecurityEvents } from '../../../lib/testing/index.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import type { TestBrowser } from '../../support/test-app.js'
import { ADA } from '../address/address-app.js'
import { openSecondFactorApp } from '../second-factor/second-factor-app.js'

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0'

/** Failures are stored after at most so many milliseconds. */
const GATHERED_MS = 3100

/** An app that tells of security events, and keeps them. */
export function openEventsApp(config: Partial<AuthConfig> = {}, more: Parameters<typeof openSecondFactorApp>[1] = {}) {
  const told = testSecurityEvents()
  const app = openSecondFactorApp(
    { securityEvents: true, events: { security: told.handler }, accountNotices: false, ...config },
    more,
  )
  const kept = async (email = ADA): Promise<readonly SecurityEvent[]> =>
    operatorOf(() => app.engine.config).listSecurityEvents((await app.idOf(email)) ?? 'nobody')
  const guess = (browser: TestBrowser, email = ADA, headers: Record<string, string> = {}, password = 'wrong') =>
    app.send(browser, 'callback/password', { email, password }, headers)
  return {
    ...app,
    told,
    kept,
    guess,
    /** A browser with an address in the network. */
    from: (address: string): TestBrowser => Object.assign(app.browser(), { address }),
    /** What is kept, once the failures are. */
    async keptLater(email = ADA) {
      await new Promise((resolve) => setTimeout(resolve, GATHERED_MS))
      return kept(email)
    },
  }
}

export const typesOf = (events: readonly SecurityEvent[]): readonly string[] => events.map(({ type }) => type)
