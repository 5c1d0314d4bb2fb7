import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { readEnv } from '../../lib/config/env.js'
import { resolveConfig } from '../../lib/config/resolve-config.js'
import type { AuthConfig } from '../../lib/index.js'
import { testConfig } from '../support/app.js'

const PRODUCTION = { NODE_ENV: 'production' }

/** What each warning at the start says to do, by its code. */
function warningsOf(more: Partial<AuthConfig>, variables: Record<string, string> = {}): Map<string, string> {
  const warnings = new Map<string, string>()
  const warn = (code: string, data?: unknown) =>
    void warnings.set(code, `${warnings.get(code) ?? ''}${JSON.stringify(data)}`)
  const logger = { warn, error() {}, debug() {} }
  resolveConfig(testConfig({ url: 'https://app.example', ...more, logger }), {
    env: readEnv(variables),
    now: Date.now,
  })
  return warnings
}

describe('a revocation store that forgets', () => {
  const store = memoryAdapter()

  it('gives a warning in production, because a restart lets revoked sessions in again', () => {
    for (const forgetful of [store, { ...store }]) {
      const warnings = warningsOf({ session: { revocation: { store: forgetful } } }, PRODUCTION)
      expect(warnings.get('memory-revocations')).to.match(/After a restart .* Use redisAdapter\(\) or sqlAdapter\(\)/)
    }
  })

  it('gives none elsewhere, nor for a store that keeps revocations', () => {
    expect([...warningsOf({ session: { revocation: { store } } }).keys()]).to.not.include('memory-revocations')
    const lasting = redisAdapter({ url: 'redis://localhost' })
    const session = { revocation: { store: lasting } }
    expect([...warningsOf({ session }, PRODUCTION).keys()]).to.not.include('memory-revocations')
  })
})

describe('milliseconds in place of seconds', () => {
  it('give a warning that names the option', () => {
    const session = { maxAge: 2_592_000_000, recentAuthAge: 900_000, remember: { maxAge: 2_592_000_000 } }
    const fixes = warningsOf({ session }).get('implausible-seconds')
    for (const name of ['maxAge', 'recentAuthAge', 'remember.maxAge']) {
      expect(fixes).to.match(new RegExp(`\`session\\.${name}\` is \\d+ seconds, about \\d+ (days|years)\\.`))
    }
  })

  it('give none for times that people choose, and for Infinity', () => {
    const session = { maxAge: 31_536_000, recentAuthAge: Number.POSITIVE_INFINITY, maxLifetime: 31_536_000 }
    expect([...warningsOf({ session }).keys()]).to.not.include('implausible-seconds')
  })

  it('are refused for `checkEvery`: a revoked session would count for days', () => {
    const start = (checkEvery: number) =>
      warningsOf({ session: { revocation: { store: memoryAdapter(), checkEvery } } })
    expect(() => start(30_000_000)).to.throw(/`session\.revocation\.checkEvery` is 30000000.*not milliseconds/)
    expect(start(30_000).get('implausible-seconds')).to.match(/checkEvery` is 30000 seconds, about 8 hours/)
    expect([...start(3600).keys()]).to.not.include('implausible-seconds')
  })
})
