import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { Auth, type AuthConfig } from '../../lib/index.js'
import { Credentials, Email } from '../../lib/providers/index.js'
import { createLog } from '../support/app.js'

const PASSWORD = 'correct horse battery staple'

describe('one form for a password and a mailed link', () => {
  const setUp = () => {
    const log = createLog()
    const mailed: { body: string; url: string }[] = []
    const asked: object[] = []
    const config: AuthConfig = {
      url: 'https://app.example',
      secret: 'a secret with at least thirty-two bytes',
      session: { strategy: 'jwt' },
      adapter: memoryAdapter(),
      logger: { ...log.logger, debug: (...line) => void log.logger.warn?.(...(line as [never])) },
      providers: [
        Credentials({
          credentials: { email: { type: 'email' }, password: { type: 'password' } },
          authorize: (credentials) => {
            asked.push(credentials)
            return null
          },
        }),
        Email({
          sendVerificationRequest: async ({ request, url }) => void mailed.push({ body: await request.text(), url }),
        }),
      ],
    }
    const csrf = async () => {
      const answer = await Auth(new Request('https://app.example/auth/csrf'), config)
      const { csrfToken } = (await answer.json()) as { csrfToken: string }
      return { csrfToken, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    }
    const post = async (path: string, fields: Record<string, string>) => {
      const { csrfToken, cookie } = await csrf()
      return Auth(
        new Request(`https://app.example/auth/${path}`, {
          method: 'POST',
          headers: { cookie, origin: 'https://app.example' },
          body: new URLSearchParams({ csrfToken, ...fields }),
        }),
        config,
      )
    }
    return { log, mailed, asked, post }
  }

  const typed = { email: 'ada@example.com', password: PASSWORD, campaign: 'spring' }

  it('gives the password to no other way: not to its hooks, its URLs, its cookies or the log', async () => {
    const { log, mailed, post } = setUp()
    const answer = await post('signin/email', typed)
    expect(answer.headers.get('location')).to.include('verify-request')
    expect(mailed).to.have.length(1)
    const seen = JSON.stringify([mailed, [...answer.headers], log])
    for (const spelling of [PASSWORD, encodeURIComponent(PASSWORD), PASSWORD.replaceAll(' ', '+'), '"password']) {
      expect(seen).to.not.include(spelling)
    }
  })

  it('leaves the other fields of a form of the application to its hook', async () => {
    const { mailed, post } = setUp()
    await post('signin/email', typed)
    expect(JSON.parse(mailed[0]?.body ?? '')).to.include({ campaign: 'spring', email: 'ada@example.com' })
  })

  it('gives it to the application that asks for it', async () => {
    const { asked, post } = setUp()
    await post('callback/credentials', typed)
    expect(asked).to.have.length(1)
    expect(asked[0]).to.include({ email: 'ada@example.com', password: PASSWORD })
  })
})
