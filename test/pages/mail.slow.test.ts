import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { expect } from 'chai'
import type { Browser, BrowserContext } from 'playwright-core'
import { signInMail } from '../../lib/features/email/send-link.js'
import { type ConfirmPageInput, confirmPage } from '../../lib/features/email/send-link-form.js'
import { createMailWriter } from '../../lib/pages/mail.js'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { inWords } from '../../lib/pages/texts/words.js'
import type { Theme } from '../../lib/pages/theme.js'
import { BRAND_COLOURS } from '../support/brand-colours.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { elements, skeleton, visibleText } from '../support/html.js'

const LINK = `https://app.example/auth/callback/email?${new URLSearchParams({
  callbackUrl: 'https://app.example/inbox?view=mine&sort=new',
  token: 'a3f1'.repeat(16),
  email: 'ada@example.com',
})}`
const INPUT = { url: LINK, host: 'app.example', lifetimeSeconds: 86_400 }

const mail = (theme: Theme = {}, input = INPUT) => signInMail(createMailWriter({ theme }), input)
/** Host names have a mark in them that no eye sees. */
const words = (html: string) => visibleText(html).replaceAll('&#8203;', '')

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '<%= 7 * 191 %>',
]

describe('the mail with a sign-in link', () => {
  it('says the same in HTML and in plain text: host, link, lifetime, and what to do if it is not wanted', async () => {
    const { subject, html, text } = await mail()
    expect(subject).to.equal('Sign in to app.example')
    for (const content of [words(html), text.replace(/\s+/g, ' ')]) {
      for (const phrase of ['Sign in to app.example', LINK, 'within the next 24 hours', 'ignore this message']) {
        expect(content).to.include(phrase)
      }
    }
  })

  it('is laid out in plain text: short lines, blank lines between its parts, the link on a line of its own', async () => {
    const { text } = await mail()
    const lines = text.split('\n')
    expect(lines).to.include(LINK)
    expect(lines.filter((line) => line === '').length).to.be.greaterThan(3)
    for (const line of lines) if (line !== LINK) expect(line.length).to.be.lessThan(79)
    expect(text).to.match(/^Sign in/)
  })

  it('has one button and the same link in plain sight', async () => {
    const { html } = await mail()
    const links = elements(html, 'a')
    expect(links.map((link) => link.get('href'))).to.deep.equal([LINK, LINK])
    expect(links.map((link) => link.get('class'))).to.deep.equal(['button', 'link'])
  })

  it('loads nothing: no image, script, font, form or other host', async () => {
    const { html } = await mail({ logo: 'https://cdn.example/logo.png' })
    expect(html).to.not.match(/<img|<script|<link|<form|<iframe|<svg|@import|url\(|src=|cdn\.example/i)
    expect(Buffer.byteLength(html), 'Gmail clips mails of 102 kB').to.be.lessThan(20_000)
  })

  it('is laid out by tables that screen readers pass over', async () => {
    const { html } = await mail()
    for (const table of elements(html, 'table')) expect(table.get('role')).to.equal('presentation')
  })

  it('does not let a client make a link of the host name', async () => {
    expect((await mail()).html).to.include('app.&#8203;example</h1>')
  })

  it('follows the reader, or the scheme that the theme forces', async () => {
    const scheme = async (colorScheme?: 'auto' | 'dark' | 'light') => {
      const { html } = await mail(colorScheme ? { colorScheme } : {})
      return [
        elements(html, 'meta')
          .find((meta) => meta.get('name') === 'color-scheme')
          ?.get('content'),
        html.includes('prefers-color-scheme: dark'),
        elements(html, 'body')[0]?.get('style')?.includes('#0f1014'),
      ]
    }
    expect(await scheme()).to.deep.equal(['light dark', true, false])
    expect(await scheme('auto')).to.deep.equal(['light dark', true, false])
    expect(await scheme('light')).to.deep.equal(['light', false, false])
    expect(await scheme('dark')).to.deep.equal(['dark', false, true])
  })

  it('has the colour of the application', async () => {
    const { html } = await mail({ brandColor: '#d9480f' })
    expect(html).to.match(/class="button"[^>]*background-color:#d[0-9a-f]{5}/)
  })

  for (const payload of PAYLOADS) {
    it(`escapes ${payload} in every place`, async () => {
      const evil = await mail(
        { brandColor: payload, buttonText: payload, logo: payload },
        {
          ...INPUT,
          url: `https://app.example/?x=${payload}`,
          host: payload.replaceAll('.', ''),
        },
      )
      expect(skeleton(evil.html)).to.deep.equal(skeleton((await mail({}, { ...INPUT, host: 'harmless' })).html))
      expect(evil.html).to.not.match(/<script>|<img|1337/)
      expect(evil.text).to.include(payload)
    })
  }

  for (const [seconds, said] of [
    [1, '1 second'],
    [90, '90 seconds'],
    [119, '119 seconds'],
    [120, '2 minutes'],
    [600, '10 minutes'],
    [3600, '60 minutes'],
    [7199, '119 minutes'],
    [7200, '2 hours'],
    [86_400, '24 hours'],
    [172_799, '47 hours'],
    [172_800, '2 days'],
    [604_800, '7 days'],
  ] as const) {
    it(`calls ${seconds} seconds ${said}`, () => expect(inWords(seconds, 'en')).to.equal(said))
  }
})

const CONFIRM: ConfirmPageInput = {
  action: 'https://app.example/auth/callback/email',
  fields: { token: 'the-token', email: 'ada@example.com' },
  identifier: 'ada@example.com',
  csrfToken: 'f'.repeat(64),
  callbackUrl: 'https://app.example/inbox',
  host: 'app.example',
  insecure: false,
}

const confirm = (more: Partial<ConfirmPageInput> = {}, theme: Theme = {}) =>
  createPageRenderer({ theme }).render(confirmPage({ ...CONFIRM, ...more }))

describe('the page that asks before a link signs in', () => {
  it('posts what the link says to the same callback, with a CSRF token', async () => {
    const { html } = await confirm()
    const [form] = elements(html, 'form')
    expect(Object.fromEntries(form ?? [])).to.include({ action: CONFIRM.action, method: 'post' })
    expect(
      elements(html, 'input').map((input) => [input.get('type'), input.get('name'), input.get('value')]),
    ).to.deep.equal([
      ['hidden', 'csrfToken', CONFIRM.csrfToken],
      ['hidden', 'callbackUrl', CONFIRM.callbackUrl],
      ['hidden', 'token', 'the-token'],
      ['hidden', 'email', 'ada@example.com'],
    ])
    expect(elements(html, 'button')).to.have.length(1)
  })

  it('says who signs in, and where', async () => {
    expect(visibleText((await confirm()).html)).to.match(
      /You are about to sign in to app\.example\s+as ada@example\.com\s*\./,
    )
    expect(visibleText((await confirm({ identifier: null, host: undefined })).html)).to.match(
      /You are about to sign in to this site\s*\./,
    )
  })

  it('may post, and tells no other site of the link', async () => {
    const { headers } = await confirm()
    expect(headers['content-security-policy']).to.include("form-action 'self' https:;")
    expect(headers['referrer-policy']).to.equal('same-origin')
    expect(headers['cache-control']).to.include('no-store')
  })

  for (const payload of PAYLOADS) {
    it(`escapes ${payload} in every place`, async () => {
      const { html } = await confirm({
        action: payload,
        fields: { token: payload, email: payload },
        identifier: payload,
        csrfToken: payload,
        callbackUrl: payload,
        host: payload,
      })
      expect(skeleton(html)).to.deep.equal(skeleton((await confirm()).html))
      expect(html).to.not.match(/<script>|<img|1337/)
    })
  }
})

describe('mail and confirm page in Chromium', function () {
  this.timeout(120_000)
  let browser: Browser
  let context: BrowserContext
  let server: Server
  let origin = ''
  const documents = new Map<string, string>()

  before(async function () {
    requireChromium.call(this)
    for (const brandColor of ['', ...BRAND_COLOURS.filter((_, index) => index % 25 === 0)]) {
      documents.set(`/mail-${documents.size}`, (await mail({ brandColor })).html)
    }
    documents.set('/mail-dark', (await mail({ colorScheme: 'dark' })).html)
    documents.set('/confirm', (await confirm()).html)
    documents.set('/confirm-unnamed', (await confirm({ identifier: null })).html)
    documents.set('/confirm-long', (await confirm({ identifier: `${'a'.repeat(64)}@${'b'.repeat(60)}.example` })).html)
    server = createServer((request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(documents.get(request.url ?? '') ?? '')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await launchChromium()
    context = await browser.newContext({ bypassCSP: true, reducedMotion: 'reduce' })
  })
  after(async () => {
    await browser?.close()
    server?.close()
    server?.closeAllConnections()
  })

  it('have no fault that axe-core finds, light and dark, and are never wider than the window', async () => {
    const page = await context.newPage()
    for (const path of documents.keys()) {
      await page.goto(origin + path)
      await page.evaluate(axe.source)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const width of [320, 800]) {
          await page.setViewportSize({ width, height: 700 })
          expect(await page.evaluate('document.documentElement.scrollWidth'), `${path} at ${width}`).to.be.at.most(
            width,
          )
        }
        // A mail stands inside a page of the reader's, which has the landmarks.
        const rules = path.startsWith('/mail')
          ? "{ region: { enabled: false }, 'landmark-one-main': { enabled: false } }"
          : '{}'
        const found =
          await page.evaluate(`axe.run({ resultTypes: ['violations'], rules: ${rules} }).then(({ violations }) =>
          violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
        expect(found, `${path} ${colorScheme}`).to.deep.equal([])
      }
    }
    await page.close()
  })
})
