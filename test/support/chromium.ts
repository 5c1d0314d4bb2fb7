import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { skipSuite } from './skip-suite.js'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** A `before` hook: skips the suite, with the reason, where there is no Chromium. */
export function requireChromium(this: Mocha.Context): void {
  if (existsSync(CHROMIUM)) return
  skipSuite(this, `no Chromium at ${CHROMIUM}; install it or set CHROMIUM_PATH`)
}

/** Only the fonts of this configuration, so that a page has the same size on every machine. It is for Linux. */
const FONTCONFIG_FILE = fileURLToPath(new URL('fonts.conf', import.meta.url))

/** Starts Chromium without a window, and without the calls it makes on its own. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    env: { ...process.env, FONTCONFIG_FILE },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
