import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/**
 * A `before` hook: skips the suite, with the reason, where there is no Chromium. With `CI=true` it fails instead: a skipped
 * test must not look like a passed one.
 */
export function requireChromium(this: Mocha.Context): void {
  if (existsSync(CHROMIUM)) return
  const reason = `no Chromium at ${CHROMIUM}; install it or set CHROMIUM_PATH`
  if (process.env.CI === 'true') throw new Error(reason)
  console.info(`    skipped: ${reason}`)
  this.skip()
}

/** Starts Chromium without a window, and without the calls it makes on its own. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
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
