// The cookies of a signed-in user in a browser. In tests of @playwright/test, `page` and `context` are those that a test has already.

import { it } from 'node:test'
import { signInAs } from 'latchkey/testing'
import { browser } from './browser.js'
import { config, origin } from './listening.js'

it('greets Ada', async () => {
  const context = await browser.newContext()
  const ada = await signInAs(config, { name: 'Ada', email: 'ada@example.com' }, { origin })
  await context.addCookies([...ada.cookies])
  const page = await context.newPage()
  await page.goto(origin)
  await page.getByText('Hello, Ada').waitFor()
})
