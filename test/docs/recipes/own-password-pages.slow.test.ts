import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Express } from 'express'
import type { Browser } from 'playwright-core'
import { migrateToLatest } from '../../../lib/adapters/sql.js'
import { atLocalhost, listen, type Running, SECRET } from '../../support/app.js'
import { launchChromium, requireChromium } from '../../support/chromium.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'
import { loadRecipe, useVariables } from './recipe.js'

const DATABASE = join(tmpdir(), `own-password-pages-${process.pid}.db`)
const GOOD = 'copper lantern under seven bridges'
const OTHER = 'nine quiet windows facing the harbour'

describe('examples/recipes/own-password-pages.ts', function () {
  this.timeout(120_000)
  let browser: Browser
  let app: Running
  let mails: MailServer
  const variables = { AUTH_SECRET: SECRET, DATABASE, SMTP: '' }
  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    mails = await startMailServer()
    variables.SMTP = mails.url
    await migrateToLatest({ sqlite: DATABASE })
  })
  useVariables(variables)
  after(async () => {
    await browser?.close()
    await app?.close()
    await mails?.close()
    rmSync(DATABASE, { force: true })
  })

  it('asks for a link, chooses a password with it, and changes it', async () => {
    app = atLocalhost(await listen((await loadRecipe<{ app: Express }>('own-password-pages.ts')).app))
    const page = await browser.newPage()
    await page.goto(`${app.origin}/auth/signin`)
    await page.getByText('Create an account').click()
    expect(new URL(page.url()).pathname).to.equal('/password')
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByRole('button').click()
    await page.getByText('Look into your mails.').waitFor()
    await page.goto(/http:\S+/.exec(mails.delivered[0]?.mail.text ?? '')?.[0] ?? '')
    expect(new URL(page.url()).pathname).to.equal('/password')
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button').click()
    await page.getByText('It is too short.').waitFor()
    await page.getByLabel('New password').fill(GOOD)
    await page.getByRole('button').click()
    await page.getByText('Hello ada@example.com').waitFor()
    await page.goto(`${app.origin}/password/change`)
    for (const [password, said] of [
      [OTHER, 'That is not your password.'],
      [GOOD, 'It is changed.'],
    ] as const) {
      await page.locator('[name="password"]').fill(password)
      await page.getByLabel('New password').fill(OTHER)
      await page.getByRole('button').click()
      await page.getByText(said).waitFor()
    }
  })
})
