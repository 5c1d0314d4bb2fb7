import { expect } from 'chai'
import express from 'express'
import {
  type AuthConfig,
  type OwnAccountPart,
  type OwnAccountPartContent,
  verifyCsrfToken,
} from '../../../lib/index.js'
import { ADA, startApp, testConfig } from '../../support/app.js'
import { elements, visibleText } from '../../support/html.js'
import { openTestApp } from '../../support/test-app.js'
import { PAGE } from '../address/address-app.js'

const HTML = '<img src=x onerror=alert(1)>"\'&'
const HTTP = 'http://app.example'

/** The account page with a part of the application, between two of Latchkey. */
async function pageWith(part: OwnAccountPart, config: Partial<AuthConfig> = {}, headers = {}) {
  const app = openTestApp({ bearer: true, accountPage: { parts: [part, 'tokens'] }, ...config })
  const ada = await app.signedIn()
  const { status, body } = await ada.get('/auth/account', { ...PAGE, ...headers })
  return { status, body, log: app.log, shows: body.includes('part-own0') }
}

const titled = (more: Partial<OwnAccountPartContent>) => (): OwnAccountPartContent => ({ title: 'Plan', ...more })

describe('a part of the application on the account page', () => {
  it('shows what it gives, in its place, with links and forms', async () => {
    const { status, body, log } = await pageWith(
      titled({
        lead: 'What you pay.',
        items: [
          {
            name: 'Pro',
            mark: 'Yearly',
            facts: ['Since March', '3 seats'],
            actions: [
              { text: 'Invoices', url: '/invoices' },
              { text: 'Cancel', url: '/plan/cancel', method: 'POST', fields: { plan: '7' }, question: 'Cancel it?' },
            ],
          },
        ],
        actions: [{ text: 'Compare plans', url: 'https://www.example/plans' }],
      }),
    )
    expect([status, log.errors]).to.deep.equal([200, []])
    expect(visibleText(body)).to.include(
      'Plan What you pay. Pro Yearly Since March · 3 seats Invoices Cancel : Pro Cancel Cancel it? Cancel Compare plans',
    )
    expect(elements(body, 'a').map((link) => link.get('href'))).to.include.members([
      `${HTTP}/invoices`,
      'https://www.example/plans',
    ])
    expect(elements(body, 'form').map((form) => form.get('action'))).to.deep.equal([`${HTTP}/plan/cancel`])
    const fields = Object.fromEntries(elements(body, 'input').map((input) => [input.get('name'), input.get('value')]))
    expect(fields)
      .to.include({ plan: '7', callbackUrl: `${HTTP}/auth/account` })
      .and.have.property('csrfToken')
  })

  it('gets the session and the language of the page, and may be none', async () => {
    const seen: unknown[] = []
    const { shows } = await pageWith(
      ({ session, language }) => {
        seen.push([session.user?.email, language])
        return null
      },
      {},
      { 'accept-language': 'de-AT' },
    )
    expect([seen, shows]).to.deep.equal([[['ada@example.com', 'de']], false])
  })

  it('sends forms that a route of the application can trust', async () => {
    const content: OwnAccountPartContent = {
      title: 'Plan',
      actions: [{ text: 'Cancel', url: '/plan/cancel', method: 'POST' }],
    }
    const config = testConfig({ accountPage: { parts: [() => content] } })
    const app = await startApp(config, (server) => {
      server.post('/plan/cancel', express.urlencoded({ extended: false }), async (req, res) => {
        const isOurs = await verifyCsrfToken(req, config, req.body.csrfToken)
        if (isOurs) res.redirect(303, req.body.callbackUrl)
        else res.sendStatus(403)
      })
    })
    try {
      const ada = app.visitor()
      await ada.signIn(ADA)
      const { text: body } = await ada.get('/auth/account', PAGE)
      const fields = elements(body, 'input').map((input) => [input.get('name') ?? '', input.get('value') ?? ''])
      const answer = await ada.post('/plan/cancel', Object.fromEntries(fields))
      expect([answer.status, answer.location?.href]).to.deep.equal([303, `${app.origin}/auth/account`])
      expect((await ada.post('/plan/cancel', { csrfToken: 'guessed' })).status).to.equal(403)
    } finally {
      await app.close()
    }
  })
})

describe('a part of the application on the account page, gone wrong', () => {
  it('shows texts of others as texts', async () => {
    const action = { text: HTML, url: '/x?a="><b>' }
    const { body } = await pageWith(
      titled({
        title: HTML,
        lead: HTML,
        items: [
          {
            name: HTML,
            mark: HTML,
            facts: [HTML],
            actions: [{ ...action, method: 'POST', question: HTML, fields: { [HTML]: HTML } }],
          },
        ],
        actions: [action],
      }),
    )
    expect(body).to.include('part-own0').and.not.include('<img src=x').and.not.include('<b>').and.not.include('"\'&"')
  })

  it('is left out and logged when it throws, hangs or gives something else; the rest of the page is there', async () => {
    const faulty: readonly unknown[] = [
      () => {
        throw new Error('billing is down: key_live_1')
      },
      async () => Promise.reject(new Error('billing is down')),
      () => new Promise(() => {}),
      () => 'Plan',
      () => undefined,
      titled({ title: undefined } as never),
      titled({ items: 'Pro' } as never),
      titled({ items: [{ name: '' }] }),
      titled({ html: '<b>' } as never),
      titled({ lead: { key: 'account.title' } } as never),
      titled({ actions: [{ text: 'Cancel', url: '/cancel', fields: { plan: '7' } }] }),
      titled({ actions: [{ text: 'Cancel', url: '/cancel', method: 'POST', fields: { csrfToken: '7' } }] }),
    ]
    for (const [index, part] of faulty.entries()) {
      const { status, shows, log } = await pageWith(part as OwnAccountPart, { storeTimeout: 0.05 })
      expect([status, shows, log.errors.length], `part ${index}`).to.deep.equal([200, false, 1])
      expect(log.errors[0]?.message).to.equal('accountPage.parts[0] failed. The page is shown without it.')
    }
  })

  it('runs no script by a link, and gives the CSRF token to no other origin', async () => {
    const links = ['javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'mailto:a@b.example', 'http://']
    for (const url of links) {
      const { shows, log } = await pageWith(titled({ actions: [{ text: 'Go', url }] }))
      expect([shows, log.errors.length], url).to.deep.equal([false, 1])
    }
    for (const url of ['https://evil.example/', '//evil.example/', '/\\evil.example/', 'https://app.example/plan']) {
      const { body, shows } = await pageWith(titled({ actions: [{ text: 'Go', url, method: 'POST' }] }))
      expect([shows, body.includes('evil.example')], url).to.deep.equal([false, false])
    }
  })

  it('is a function: anything else is refused at the start', () => {
    for (const part of [{ title: 'Plan' }, 'plan', null]) {
      expect(() => openTestApp({ accountPage: { parts: [part as never] } })).to.throw('accountPage.parts')
    }
  })
})
