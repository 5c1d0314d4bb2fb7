// Passkeys in Chromium. Browsers accept no IP address as the owner of passkeys, so the application is at `localhost`.

import { it } from 'node:test'
import { virtualAuthenticator } from 'latchkey/testing'
import { browser } from './browser.js'
import { origin } from './listening.js'

it('signs Grace up with a passkey', async () => {
  const page = await browser.newPage()
  await virtualAuthenticator(page)
  await page.goto(`${origin}/auth/signin`)
  await page.getByLabel('E-mail').fill('grace@example.com')
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.getByText('Hello, grace@example.com').waitFor()
})
