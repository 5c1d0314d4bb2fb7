import { expect } from 'chai'
import { JWTSessionError } from '../../lib/kernel/errors.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'

describe('a session of many kilobytes', () => {
  const heavy = (characters: number) => ({
    callbacks: {
      jwt: ({ token, trigger, session }: { token: object; trigger?: string; session?: { weight: number } }) => ({
        ...token,
        ...(trigger === 'signIn' && { weight: 'w'.repeat(characters) }),
        ...(trigger === 'update' && { weight: 'w'.repeat(session?.weight ?? 0) }),
      }),
    },
  })

  it('COOKIE-05: is kept in pieces, and no piece is left when it shrinks, grows or ends', async () => {
    const { signedIn } = openTestApp(heavy(6000))
    const ada = await signedIn()
    const names = (count: number) => Array.from({ length: count }, (_, number) => `${SESSION}.${number}`)
    expect(ada.sessionNames()).to.deep.equal(names(3))
    expect((await ada.session())?.user?.name).to.equal('Ada')
    await ada.update({ weight: 3000 })
    expect(ada.sessionNames()).to.deep.equal(names(2))
    await ada.update({ weight: 10 })
    expect(ada.sessionNames()).to.deep.equal([SESSION])
    await ada.update({ weight: 6000 })
    expect(ada.sessionNames()).to.deep.equal(names(3))
    expect((await ada.session())?.user?.name).to.equal('Ada')
    await ada.signOut()
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('COOKIE-06: signs nobody in if no request could carry it, and the log says why', async () => {
    const { browser, log } = openTestApp(heavy(12_000))
    const ada = browser()
    const answer = await ada.signIn()
    expect(answer.location).to.equal('http://app.example/auth/error?error=Configuration')
    expect(ada.sessionNames()).to.deep.equal([])
    expect(log.errors[0]).to.be.instanceOf(JWTSessionError)
    expect(log.errors[0]?.message).to.match(/at most \d+ fit into a request.*Keep less in the token/)
  })

  it('is told once, before proxies refuse its requests', async () => {
    const warnings: string[] = []
    const warn = (code: string) => void warnings.push(code)
    const { signedIn } = openTestApp({ ...heavy(3000), logger: { warn } })
    const ada = await signedIn()
    expect(warnings).to.deep.equal([])
    await ada.update({ weight: 6000 })
    await ada.update({ weight: 6001 })
    expect(warnings).to.deep.equal(['large-session'])
  })

  it('COOKIE-06: stays as it was if an update would make it too large', async () => {
    const { signedIn } = openTestApp(heavy(10))
    const ada = await signedIn()
    const answer = await ada.update({ weight: 12_000 })
    expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([503, null, []])
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })

  it('survives a tab that wrote fewer pieces while another wrote more', async () => {
    const { signedIn } = openTestApp(heavy(3000))
    const ada = await signedIn()
    const grown = ada.copy()
    await grown.update({ weight: 6000 })
    await ada.update({ weight: 3000 })
    ada.plant(`${SESSION}.2`, grown.jar.get(`${SESSION}.2`)?.value ?? '')
    expect(ada.sessionNames()).to.have.length(3)
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })
})

describe('pieces of a session cookie beside the cookie without a suffix', () => {
  it('are deleted, and the session is that of the cookie without a suffix', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    ada.plant(`${SESSION}.0`, 'left from before')
    const answer = await ada.get('/auth/session')
    expect(answer.json().user.name).to.equal('Ada')
    expect(sessionCookies(answer).map(({ name, maxAge }) => [name, maxAge])).to.deep.equal([[`${SESSION}.0`, 0]])
    expect(ada.sessionNames()).to.deep.equal([SESSION])
  })
})
