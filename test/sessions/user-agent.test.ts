import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { describeUserAgent, MAX_USER_AGENT } from '../../lib/sessions/session-list.js'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X)'

/** Headers that browsers send, and the words for each. */
const BROWSERS: readonly (readonly [header: string, browser: string, system: string])[] = [
  [`${WINDOWS}; rv:141.0) Gecko/20100101 Firefox/141.0`, 'Firefox 141', 'Windows'],
  [`${WINDOWS}) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome 141', 'Windows'],
  [`${WINDOWS}) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`, 'Microsoft Edge 141', 'Windows'],
  [`${WINDOWS}) ${WEBKIT} Chrome/139.0.0.0 Safari/537.36 OPR/124.0.0.0`, 'Opera 124', 'Windows'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/18.5 Safari/605.1.15`, 'Safari 18', 'macOS'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:141.0) Gecko/20100101 Firefox/141.0', 'Firefox 141', 'macOS'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome 141', 'Linux'],
  ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0', 'Firefox 141', 'Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome 141', 'Chrome OS'],
  // Chrome sends this text on every Android.
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/141.0.0.0 Mobile Safari/537.36`, 'Chrome 141', 'Android'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:141.0) Gecko/141.0 Firefox/141.0', 'Firefox 141', 'Android 15'],
  [`${IPHONE} ${APPLE} Version/18.6 Mobile/15E148 Safari/604.1`, 'Safari 18', 'iOS 18'],
  [`${IPHONE} ${APPLE} CriOS/141.0.7390.41 Mobile/15E148 Safari/604.1`, 'Chrome 141', 'iOS 18'],
  [`${IPHONE} ${APPLE} FxiOS/141.0 Mobile/15E148 Safari/605.1.15`, 'Firefox 141', 'iOS 18'],
  [`${IPHONE} ${APPLE} EdgiOS/141.0.3537.60 Version/18.0 Mobile/15E148 Safari/604.1`, 'Microsoft Edge 141', 'iOS 18'],
  // Since iOS 26, Safari says 18 there, and the truth as its own version.
  [`${IPHONE} ${APPLE} Version/26.1 Mobile/15E148 Safari/604.1`, 'Safari 26', 'iOS 26'],
  [
    `Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) ${APPLE} Version/18.6 Mobile/15E148 Safari/604.1`,
    'Safari 18',
    'iOS 18',
  ],
]

const NOTHING = { browser: null, system: null }

describe('the words for a browser', () => {
  for (const [header, browser, system] of BROWSERS) {
    it(`are ${browser} and ${system} for ${header.slice(12, 60)}…`, async () => {
      expect(await describeUserAgent(header)).to.deep.equal({ browser, system })
    })
  }

  it('are none for a program, an empty header and no header', async () => {
    for (const header of ['curl/8.5.0', 'node', 'MyApp/1.2 CFNetwork/1490.0.4 Darwin/23.2.0', 'Mozilla/5.0', ' ', '']) {
      expect(await describeUserAgent(header), header).to.deep.equal(NOTHING)
    }
    expect(await describeUserAgent(null)).to.deep.equal(NOTHING)
  })

  it('never hold a text that a stranger wrote into the header', async () => {
    const strange = [
      '<script>alert(1)</script>/1.0',
      'Your Bank <b>/141 (Windows NT 10.0)',
      'Mozilla/5.0 (X11; <b>Linux</b>) Firefox/<img src=x>',
      `${WINDOWS}) Firefox/141"onload="x`,
      '__proto__/1.0 (constructor 3)',
      'Firefox/99999999999999999999.1',
      'Mozilla/5.0 (Linux; Android <i>; K) Chrome/1<i>',
      '\u202Exoferif/141 (\u0000Windows)',
    ]
    for (const header of strange) {
      const { browser, system } = await describeUserAgent(header)
      for (const word of [browser, system]) {
        if (word !== null) expect(word, header).to.match(/^(?:Firefox|Chrome|Windows|Linux|Android)(?: \d{1,4})?$/)
      }
    }
    expect(await describeUserAgent('Your Bank <b>/141 (Windows NT 10.0)')).to.deep.equal({
      browser: null,
      system: 'Windows',
    })
  })

  it('are read from the first 512 characters', async () => {
    const late = `${'x'.repeat(MAX_USER_AGENT)} Firefox/141.0`
    expect(await describeUserAgent(late)).to.deep.equal(NOTHING)
  })

  it('are found quickly in a header that was made to be slow', async () => {
    await describeUserAgent('Firefox/141.0')
    const pieces = [
      ' ',
      '\t',
      '/',
      'a/',
      'a',
      '1.',
      ';',
      '(',
      'Mozilla/5.0 (',
      'Mac OS X 1_',
      'CPU iPhone OS ',
      'Version/',
    ]
    const hostile = pieces.flatMap((one) => pieces.map((other) => one + other.repeat(1000)))
    const startedAt = process.cpuUsage()
    for (const header of hostile) await describeUserAgent(header)
    const { user } = process.cpuUsage(startedAt)
    // A header of ten thousand spaces would take seconds without the limit.
    expect(user / 1000 / hostile.length, 'milliseconds for each').to.be.below(5)
  })
})

/** Makes an import of `bowser` fail, as where it is not installed. */
const WITHOUT_BOWSER = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(\`
    export function resolve(name, context, next) {
      if (name !== 'bowser') return next(name, context)
      throw Object.assign(new Error("Cannot find package 'bowser'"), { code: 'ERR_MODULE_NOT_FOUND' })
    }\`))
`)}`

const ASK_TWICE = `
  import { describeUserAgent } from './lib/sessions/session-list.ts'
  const warnings = []
  const logger = { warn: (code, data) => warnings.push([code, data]) }
  const words = [await describeUserAgent('Firefox/141.0', logger), await describeUserAgent('Firefox/141.0', logger)]
  console.log(JSON.stringify({ words, warnings }))
`

describe('the words for a browser where bowser is not installed', () => {
  it('are none, and the log says once what to install', async () => {
    const options = ['--import', 'tsx', '--import', WITHOUT_BOWSER, '--input-type=module', '--eval', ASK_TWICE]
    const { stdout } = await promisify(execFile)(process.execPath, options)
    const fix = 'The package "bowser" is not installed: npm install bowser'
    expect(JSON.parse(stdout)).to.deep.equal({
      words: [NOTHING, NOTHING],
      warnings: [['user-agents-unnamed', { fix }]],
    })
  }).timeout(60_000)
})
