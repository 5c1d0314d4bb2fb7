import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { readEnv } from '../../lib/config/env.js'
import { resolveConfig } from '../../lib/config/resolve-config.js'
import { createSharedSecrets } from '../../lib/config/shared-secret.js'
import type { AuthConfig } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import { checkSessionCallback } from '../../lib/sessions/shown-session.js'
import { testConfig } from '../support/app.js'

type Told = Map<string, { fix?: unknown } | undefined>

const recorder = () => {
  const told: Told = new Map()
  const warn = (code: string, data?: unknown) => void told.set(code, data as { fix?: unknown })
  return { told, logger: { warn, error() {}, debug() {} } }
}

describe('a warning that has a remedy', () => {
  it('tells under `fix`, in whole sentences, what happens and what to do', () => {
    const { told, logger } = recorder()
    const sharedSecrets = createSharedSecrets()
    const start = (options: Partial<AuthConfig>) =>
      resolveConfig(testConfig({ logger, ...options }), { env: readEnv({}), now: Date.now, sharedSecrets })
    const { deleteSessionsByUserId: _, ...adapter } = memoryAdapter() as Adapter
    start({ secret: 'abc' })
    start({ secret: 'abc', url: 'https://other.example' })
    start({
      adapter,
      providers: [
        GitHub({ clientId: 'id', clientSecret: 'secret' }),
        Email({ from: 'no-reply@app.example', sendVerificationRequest() {} }),
        Credentials({ authorize: () => null }),
      ],
      session: { strategy: 'database' },
    })
    checkSessionCallback((() => ({ accountId: 7 })) as never, logger)({} as never)
    for (const code of [
      'weak-secret',
      'shared-secret',
      'sign-in-time-unknown',
      'unconfirmed-addresses',
      'session-without-user',
    ]) {
      expect([...told.keys()]).to.include(code)
      expect(told.get(code)?.fix, code).to.match(/^[A-Z].+\. .+\.$|^[A-Z].+, and .+\. .+$/)
      expect(told.get(code), code).to.not.have.property('cure')
    }
  })
})
