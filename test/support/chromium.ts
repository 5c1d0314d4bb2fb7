import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { skipSuite } from './skip-suite.js'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Chromium without what a window needs, in less than half of the time. Not every distribution has it. */
const SHELL = '/usr/bin/chromium-headless-shell'
const usual = () => (process.env.CHROMIUM_PATH === undefined && existsSync(SHELL) ? SHELL : CHROMIUM)

/** A `before` hook: skips the suite, with the reason, where there is no Chromium. */
export function requireChromium(this: Mocha.Context): void {
  if (existsSync(CHROMIUM)) return
  skipSuite(this, `no Chromium at ${CHROMIUM}; install it or set CHROMIUM_PATH`)
}

/** Only the fonts of this configuration, so that a page has the same size on every machine. It is for Linux. */
const FONTCONFIG_FILE = fileURLToPath(new URL('fonts.conf', import.meta.url))

const launchOptions = (executablePath: string, more: readonly string[] = []) => ({
  executablePath,
  env: { ...process.env, FONTCONFIG_FILE },
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    ...more,
  ],
})

let started: Promise<Browser> | undefined

/**
 * Chromium without a window, and without the calls it makes on its own. All files that a process tests have the same one, and
 * closing it closes what they opened.
 */
export function launchChromium(): Promise<Browser> {
  started ??= launch()
  return started
}

/**
 * As {@link launchChromium}, one that nobody else has. Its contexts are those of private windows, which block third-party
 * cookies. `more` are arguments of the command line.
 */
export function launchOwnChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch(launchOptions(CHROMIUM, more))
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch(launchOptions(usual()))
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
  }
  return browser
}

/**
 * Starts Chromium as {@link launchChromium}, with a profile of its own that allows third-party cookies: the default of Chrome,
 * and not of every distribution. Whoever closes it removes the folder.
 *
 * @param folder for the profile; it must not exist
 */
export async function launchWithThirdPartyCookies(folder: string, more: readonly string[]): Promise<BrowserContext> {
  mkdirSync(join(folder, 'Default'), { recursive: true })
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }
  writeFileSync(join(folder, 'Default/Preferences'), JSON.stringify(preferences))
  return chromium.launchPersistentContext(folder, { ...launchOptions(CHROMIUM, more), ignoreHTTPSErrors: true })
}
