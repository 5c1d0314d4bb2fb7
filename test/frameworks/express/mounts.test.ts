import { expect } from 'chai'
import type { AuthConfig } from '../../../lib/index.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import { ADA, passwords, type Running, testConfig } from '../../support/app.js'
import { formsOf, submit } from '../../support/forms.js'
import { BEFORE, DEPTHS, type Depth, FRAMEWORKS } from '../../support/frameworks.js'

const github = GitHub({ clientId: 'client', clientSecret: 'secret' })

/** Keeps a nickname in the session, which an update may change. */
const withNickname = (): AuthConfig =>
  testConfig({
    providers: [passwords, github],
    callbacks: {
      jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, nickname: session.nickname } : token),
      session: ({ session, token }) => ({ ...session, nickname: token?.['nickname'] }),
    },
  })

for (const [framework, start] of Object.entries(FRAMEWORKS)) {
  for (const parsers of BEFORE) {
    for (const [depth, mount] of Object.entries(DEPTHS) as [Depth, string][]) {
      describe(`${framework}, ${parsers} before it, mounted ${depth}`, () => {
        let app: Running
        before(async () => {
          app = await start(withNickname(), parsers, depth)
        })
        after(() => app.close())

        it('signs in with the form of the page, updates the session, and signs out', async () => {
          const ada = app.visitor()
          const page = await ada.get(`${mount}/signin?callbackUrl=/private`)
          const signedIn = await submit(ada, page, '/callback/credentials', ADA)
          expect([signedIn.status, signedIn.headers.get('location')]).to.deep.equal([302, `${app.origin}/private`])
          expect((await ada.get('/whoami')).json().user.name).to.equal('Ada')

          const csrfToken = await ada.csrfToken(mount)
          await ada.postJson(`${mount}/session`, { csrfToken, data: { nickname: 'Countess' } })
          expect((await ada.session(mount)).nickname).to.equal('Countess')

          const signedOut = await submit(ada, await ada.get(`${mount}/signout?callbackUrl=/bye`), '/signout')
          expect(signedOut.headers.get('location')).to.equal(`${app.origin}/bye`)
          expect(await ada.session(mount)).to.equal(null)
        })

        it('makes every URL from where it is mounted', async () => {
          const visitor = app.visitor()
          const base = app.origin + mount
          const { github: listed } = (await visitor.get(`${mount}/providers`)).json()
          expect(listed).to.include({ signinUrl: `${base}/signin/github`, callbackUrl: `${base}/callback/github` })
          const page = await visitor.get(`${mount}/signin`)
          expect(formsOf(page).map(({ action }) => action)).to.deep.equal([
            `${base}/callback/credentials`,
            `${base}/signin/github`,
          ])
          const toGitHub = await submit(visitor, page, '/signin/github')
          expect(toGitHub.location?.origin).to.equal('https://github.com')
          expect(toGitHub.location?.searchParams.get('redirect_uri')).to.equal(`${base}/callback/github`)
          const refused = await visitor.signIn({ username: 'ada', password: 'wrong' }, mount)
          expect(refused.headers.get('location')).to.equal(`${base}/signin?error=CredentialsSignin&code=credentials`)
        })
      })
    }
  }
}
