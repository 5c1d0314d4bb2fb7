import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { unlinkAccount } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Email from '../../lib/providers/email.js'
import { signInAs } from '../../lib/testing/index.js'
import { webAuth } from '../../lib/web/index.js'
import { startApp, testConfig } from '../support/app.js'

describe('the mail about a removed account', () => {
  it('is in the language of the visitor, too, where code of the application removes it', async () => {
    const subjects: string[] = []
    const adapter = memoryAdapter()
    const config = testConfig({
      adapter,
      session: { strategy: 'database' },
      providers: [
        GitHub({ clientId: 'id', clientSecret: 'secret' }),
        Email({
          from: 'no-reply@app.example',
          sendVerificationRequest() {},
          sendNotification: ({ message }) => void subjects.push(message.subject),
        }),
      ],
    })
    const account = { provider: 'github', providerAccountId: '1' }
    const app = await startApp(config, (server) => {
      server.post('/unlink', (req, res, next) => {
        unlinkAccount(req, config, account).then(() => res.end(), next)
      })
    })
    const web = webAuth(config)
    try {
      const user = await adapter.createUser({ id: 'u1', email: 'x@y.example', emailVerified: new Date(), name: 'X' })
      const { cookie } = await signInAs(config, { id: 'u1' }, { origin: app.origin })
      const { host } = new URL(app.origin)
      const headers = { cookie, host, origin: app.origin, 'sec-fetch-site': 'same-origin', 'accept-language': 'de' }
      for (const remove of [
        () => fetch(`${app.origin}/unlink`, { method: 'POST', headers }),
        () => web.forRequest(new Request(`${app.origin}/unlink`, { method: 'POST', headers })).unlinkAccount(account),
      ]) {
        await adapter.linkAccount({ userId: user.id, ...account, type: 'oauth' })
        await remove()
      }
      expect(subjects).to.have.length(2)
      for (const subject of subjects) expect(subject).to.match(/^Eine Möglichkeit zur Anmeldung wurde entfernt/)
    } finally {
      await app.close()
    }
  })
})
