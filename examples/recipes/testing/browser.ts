import { after } from 'node:test'
import { chromium } from 'playwright-core'

export const browser = await chromium.launch({ channel: 'chromium' })
after(() => browser.close())
