import { expect } from 'chai'
import { verifyRequestPage } from '../../lib/features/email/send-link-form.js'
import { errorPage, forbiddenPage, refusalPage } from '../../lib/pages/error.js'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { signOutPage } from '../../lib/pages/signout.js'
import type { PageView } from '../../lib/pages/view.js'
import { elements, visibleText } from '../support/html.js'
import { pageSamples } from '../support/page-samples.js'

const html = async (view: PageView) => (await createPageRenderer({ theme: {} }).render(view)).html
const signInUrl = 'https://app.example/auth/signin'

describe('the sign-out page', () => {
  const input = {
    action: 'https://app.example/auth/signout?callbackUrl=%2F',
    csrfToken: 'the-token',
    callbackUrl: 'https://app.example/',
    insecure: false,
  }

  it('posts the CSRF token and the return target to its own URL', async () => {
    const page = await html(signOutPage(input))
    const [form] = elements(page, 'form')
    expect(form?.get('action')).to.equal(input.action)
    expect(form?.get('method')).to.equal('post')
    expect(elements(page, 'input').map((field) => [field.get('name'), field.get('value')])).to.deep.equal([
      ['csrfToken', 'the-token'],
      ['callbackUrl', 'https://app.example/'],
    ])
  })

  it('offers to stay signed in', async () => {
    const [link] = elements(await html(signOutPage(input)), 'a')
    expect(link?.get('href')).to.equal('https://app.example/')
  })

  it('has no such link to anything but http(s)', async () => {
    for (const callbackUrl of ['javascript:alert(1)', 'data:text/html,x', '', '/relative']) {
      expect(elements(await html(signOutPage({ ...input, callbackUrl })), 'a')).to.have.length(0)
    }
  })

  it('says where from', async () => {
    const named = visibleText(await html(signOutPage({ ...input, host: 'app.example' })))
    expect(named).to.include('You are about to sign out of app.example on this device')
    expect(visibleText(await html(signOutPage(input)))).to.include(
      'You are about to sign out of this site on this device',
    )
  })
})

describe('the verify-request page', () => {
  it('says that a link was sent, and leads back', async () => {
    const page = await html(verifyRequestPage({ signInUrl }))
    expect(visibleText(page)).to.include('Check your e-mail').and.include('We have sent you a link')
    expect(elements(page, 'a')[0]?.get('href')).to.equal(signInUrl)
  })
})

describe('the error page', () => {
  const statuses: [string | undefined, number][] = [
    ['Configuration', 500],
    ['AccessDenied', 403],
    ['SignOut', 503],
    ['Verification', 403],
    ['WebAuthnVerificationError', 200],
    ['Default', 200],
    ['', 200],
    [undefined, 200],
    ['__proto__', 200],
    ['constructor', 200],
  ]
  for (const [error, status] of statuses) {
    it(`has status ${status} for ${error ?? 'no error'}`, () =>
      expect(errorPage({ error, signInUrl }).status).to.equal(status))
  }

  it('leads to the sign-in page', async () => {
    expect(elements(await html(errorPage({ signInUrl })), 'a')[0]?.get('href')).to.equal(signInUrl)
  })

  it('shows nothing of an unknown value', async () => {
    expect(await html(errorPage({ error: 'Mallory', signInUrl }))).to.not.include('Mallory')
  })

  it('shows a refused request with its status', async () => {
    for (const status of [400, 404, 405, 413, 415, 429]) {
      const view = refusalPage({ status, signInUrl })
      expect(view.status).to.equal(status)
      expect(visibleText(await html(view))).to.include(`Error ${status}`)
    }
  })

  it('is no alarm where somebody is signed out', async () => {
    expect(await html(errorPage({ error: 'SignOut', signInUrl }))).to.not.include('emblem trouble')
    expect(await html(errorPage({ error: 'Configuration', signInUrl }))).to.include('emblem trouble')
  })

  it('of a page that somebody may not see leads to another account, and home', async () => {
    const page = await html(forbiddenPage({ stop: null, otherAccountUrl: signInUrl, homeUrl: 'https://app.example' }))
    expect(elements(page, 'a').map((link) => link.get('href'))).to.deep.equal([signInUrl, 'https://app.example'])
  })
})

describe('every page', () => {
  for (const [name, { view }] of Object.entries(pageSamples('https://app.example'))) {
    if (name === 'signin-empty') continue
    it(`has a way on: ${name}`, async () => {
      const page = await html(view)
      expect([...elements(page, 'a'), ...elements(page, 'button')]).to.not.have.length(0)
    })
  }
})
