import axe from 'axe-core'
import { expect } from 'chai'
import express from 'express'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expressAuth } from '../../lib/index.js'
import { contrastRatio, parseColour } from '../../lib/pages/colour.js'
import { loadMarks } from '../../lib/pages/loaded-assets.js'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { signInPage } from '../../lib/pages/signin.js'
import { listen, type Running, SECRET } from '../support/app.js'
import { importEntry, SAMPLE_OPTIONS } from '../support/catalogue.js'
import { launchChromium, requireChromium } from '../support/chromium.js'

/** The providers that most people have an account with, one of them without a mark. */
const THIRTY = `apple atlassian auth0 battlenet bitbucket discord dropbox facebook figma github gitlab google
hubspot huggingface kakao keycloak line linkedin microsoft-entra-id notion okta patreon paypal reddit slack spotify tiktok twitch
twitter vercel`.split(/\s+/)
const WITHOUT_MARK = ['Keycloak']
const IN_THEIR_COLOURS = ['Google', 'Microsoft Entra ID', 'Slack']

/** Where screenshots go to be looked at, when wanted. */
const SCREENSHOTS = process.env['SCREENSHOTS']

interface Mark {
  name: string
  isVector: boolean
  /** The colours of its parts, as they are painted. */
  fills: string[]
}

describe('the sign-in page of an app with thirty providers, in Chromium', function () {
  this.timeout(120_000)
  let browser: Browser
  let app: Running

  before(async function () {
    requireChromium.call(this)
    const providers = await Promise.all(
      THIRTY.map(async (id) =>
        (await importEntry(id))({
          clientId: 'id',
          clientSecret: 'secret',
          // Apple's options make its secret, which is given already.
          ...(id === 'apple' ? {} : SAMPLE_OPTIONS[id]),
        }),
      ),
    )
    const server = express()
    server.use('/auth', expressAuth({ secret: SECRET, trustHost: true, providers }))
    app = await listen(server)
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await app?.close()
  })

  const marksOf = (page: Page): Promise<Mark[]> =>
    page.evaluate(`[...document.querySelectorAll('.provider')].map((button) => {
      const paths = [...button.querySelectorAll('.vector path, .colours path')]
      return {
        name: button.querySelector('bdi').textContent,
        isVector: paths.length > 0,
        fills: paths.map((path) => getComputedStyle(path).fill),
      }
    })`)

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      it(`has no fault and asks no other host: ${colorScheme}, ${width} px`, async () => {
        // The policy admits no script; axe has to be let in past it. The next test is about the policy.
        const context = await browser.newContext({ bypassCSP: true, colorScheme, viewport: { width, height: 900 } })
        const page = await context.newPage()
        const hosts = new Set<string>()
        page.on('request', (request) => hosts.add(new URL(request.url()).host))
        await page.goto(`${app.origin}/auth/signin`)
        if (SCREENSHOTS)
          await page.screenshot({ path: `${SCREENSHOTS}/thirty-${colorScheme}-${width}.png`, fullPage: true })

        const marks = await marksOf(page)
        expect(marks).to.have.length(30)
        expect(marks.filter(({ isVector }) => !isVector).map(({ name }) => name)).to.deep.equal(WITHOUT_MARK)

        const background = parseColour(
          await page.evaluate('getComputedStyle(document.querySelector(".provider")).backgroundColor'),
        )
        if (!background) return expect.fail('a button has no background')
        for (const { name, isVector, fills } of marks) {
          if (!isVector) continue
          const contrasts = fills.map((fill) => contrastRatio(parseColour(fill) ?? background, background))
          // A logo in the colours of its owner is known by its shape, and the name stands beside it.
          const [seen, needed] = IN_THEIR_COLOURS.includes(name)
            ? [Math.max(...contrasts), 4]
            : [Math.min(...contrasts), 1]
          expect(fills, name).to.have.length(needed)
          expect(seen, `${name} in ${fills}`).to.be.at.least(3)
        }

        await page.evaluate(axe.source)
        const faults = await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
          violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`)
        expect(faults).to.deep.equal([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(width)
        expect([...hosts]).to.deep.equal([new URL(app.origin).host])
        await context.close()
      })
    }
  }

  it('breaks no rule of its content policy', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (!message.location().url.endsWith('/favicon.ico')) complaints.push(message.text())
    })
    await page.goto(`${app.origin}/auth/signin`)
    expect(await marksOf(page)).to.have.length(30)
    expect(complaints).to.deep.equal([])
    await page.close()
  })

  it('keeps its marks in sight with forced colours', async () => {
    const context = await browser.newContext({ forcedColors: 'active', colorScheme: 'dark' })
    const page = await context.newPage()
    await page.goto(`${app.origin}/auth/signin`)
    const fills = new Set((await marksOf(page)).flatMap(({ fills }) => fills))
    expect([...fills]).to.have.length(1)
    if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/thirty-forced.png`, fullPage: true })
    await context.close()
  })

  it('puts a logo of several colours on white where the only button has another colour', async () => {
    const view = signInPage({
      providers: [{ id: 'google', name: 'Google', type: 'oidc' }],
      urls: { signIn: (id) => `/signin/${id}`, callback: (id) => `/callback/${id}` },
      csrfToken: 'token',
      callbackUrl: '/',
      insecure: false,
      marks: await loadMarks(),
    })
    const { html } = await createPageRenderer({ theme: {} }).render(view)
    const behind = async (options: BrowserContextOptions): Promise<string> => {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      await page.setContent(html)
      const colour = await page.evaluate(
        'getComputedStyle(document.querySelector(".primary .colours")).backgroundColor',
      )
      await context.close()
      return String(colour)
    }
    expect(await behind({ colorScheme: 'light' })).to.equal('rgb(255, 255, 255)')
    expect(await behind({ colorScheme: 'dark' })).to.equal('rgb(255, 255, 255)')
    // There the logo has the colour of the text, which may be white.
    expect(await behind({ forcedColors: 'active', colorScheme: 'dark' })).to.equal('rgba(0, 0, 0, 0)')
  })
})
