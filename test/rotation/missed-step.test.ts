import { expect } from 'chai'
import { TRANSACTION_KINDS } from '../../lib/compose.js'
import { markBrowser, readBrowserMarker } from '../../lib/features/email/requesting-browser.js'
import type { ResolvedEmailProvider } from '../../lib/providers/provider.js'
import { createTransactionCookies } from '../../lib/sign-in/transaction-cookies.js'
import { ADA } from '../support/app.js'
import { cookieSpecs } from '../support/cookie-specs.js'
import { atProcess, NEW, OLD, startAt } from './processes.js'

const MISSED = /was made with a secret that this process does not have/

describe('TOK-04: the log of a process that missed a step of an exchange', () => {
  it('says so of a form, and nothing of the kind of a form without its cookie', async () => {
    const there = startAt('drop').browser()
    const csrfToken = await there.csrfToken()
    const missed = startAt('before')
    const here = atProcess(missed, there)
    for (const cookie of [...here.jar.keys()].filter((name) => name.includes('csrf'))) {
      const alone = missed.browser()
      alone.plant(cookie, here.jar.get(cookie)?.value ?? '')
      await alone.post('/auth/signout', { csrfToken })
    }
    expect(missed.log.errors[0]?.message).to.match(MISSED)
    await missed.browser().post('/auth/callback/credentials', { csrfToken, ...ADA })
    expect(missed.log.errors.at(-1)?.message).to.match(/is missing, or is not that of the cookie/)
  })

  it('has a debug line for each session that it cannot open, without the token', async () => {
    const ada = await startAt('drop').signedIn()
    const missed = startAt('before')
    const here = atProcess(missed, ada)
    expect(await here.session()).to.equal(null)
    expect(missed.log.lines.join()).to.match(/^session-token-left-alone .*secret that this process does not have/)
    for (const { value } of ada.jar.values()) expect(missed.log.lines.join()).to.not.include(value)
    const { length } = missed.log.lines
    here.plant('authjs.session-token', 'rubbish')
    await here.session()
    expect(missed.log.lines).to.have.length(length)
  })

  it('recognizes that another secret made the cookie of a mailed link', async () => {
    const provider = { id: 'email', maxAge: 600 } as ResolvedEmailProvider
    const knowing = (...secrets: string[]) => ({
      provider,
      transactions: createTransactionCookies(TRANSACTION_KINDS, { secret: secrets, 'jwt.secret': secrets }, Date.now),
      now: Date.now,
    })
    const request = { cookies: new Map<string, string>(), specs: cookieSpecs(true) }
    const link = { token: 'a', identifier: 'ada@example.com' }
    const [cookie] = await markBrowser({ ...knowing(NEW), request }, link, false)
    const marked = { ...request, cookies: new Map([[cookie?.name ?? '', cookie?.value ?? '']]) }
    const requestedIn = async (at: Parameters<typeof readBrowserMarker>[0]) =>
      (await readBrowserMarker(at, link)).requestedIn
    expect(await requestedIn({ ...knowing(OLD), request: marked })).to.equal('unknown-secret')
    expect(await requestedIn({ ...knowing(OLD), request })).to.equal('another-browser')
    expect(await requestedIn({ ...knowing(OLD, NEW), request: marked })).to.equal('this-browser')
  })
})
