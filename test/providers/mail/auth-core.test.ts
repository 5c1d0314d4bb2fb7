import { Auth, skipCSRFCheck } from '@auth/core'
import AuthCoreNodemailer from '@auth/core/providers/nodemailer'
import AuthCoreResend from '@auth/core/providers/resend'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { Provider } from '../../../lib/providers/provider.js'
import { ADDRESS, ORIGIN, openMailFlow, resolved } from '../../support/mailbox.js'
import { startMailServer } from '../../support/smtp.js'

describe('e-mail providers of @auth/core', () => {
  it('stand among the providers as they are', () => {
    const providers: Provider[] = [AuthCoreResend({ apiKey: 'x' }), AuthCoreNodemailer({ server: 'smtp://x' })]
    expect(providers).to.have.length(2)
    expect(resolved(AuthCoreResend({}), { resend: 'from-env' }).source.apiKey).to.equal('from-env')
  })

  it('send their own mail', async () => {
    const server = await startMailServer()
    const { browser } = openMailFlow({
      provider: AuthCoreNodemailer({ server: server.url, from: 'no-reply@app.example' }),
    })
    await browser().ask()
    expect(server.delivered[0]?.to).to.deep.equal([ADDRESS])
    expect(server.delivered[0]?.mail.text).to.include(`${ORIGIN}/auth/callback/nodemailer?callbackUrl=`)
    await server.close()
  })

  for (const secret of ['one', ['two', 'one']]) {
    it(`leave links in the mail that are honoured after the move, with ${JSON.stringify(secret)}`, async () => {
      const adapter = memoryAdapter()
      let link = ''
      const sendVerificationRequest = ({ url }: { url: string }) => {
        link = url
      }
      await Auth(
        new Request(`${ORIGIN}/auth/signin/email`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ email: ADDRESS }),
        }),
        {
          providers: [{ id: 'email', name: 'Email', type: 'email', sendVerificationRequest }],
          adapter: adapter as never,
          secret,
          trustHost: true,
          basePath: '/auth',
          skipCSRFCheck,
        } as never,
      )
      expect(link).to.include('token=')
      // The clock of @auth/core is the real one.
      const testApp = openMailFlow({ adapter, secrets: [secret].flat(), clock: { now: Date.now } as never })
      expect((await testApp.browser().press(link)).kind).to.equal('identity')
    })
  }
})
