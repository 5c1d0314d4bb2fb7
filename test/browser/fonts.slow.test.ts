import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { launchChromium, requireChromium } from '../support/chromium.js'

describe('the browser of the tests', function () {
  this.timeout(120_000)
  let browser: Browser
  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
  })
  after(() => browser?.close())

  it('has the same fonts on every machine, whatever is installed there', async () => {
    const page = await browser.newPage()
    const families = ['system-ui', 'sans-serif', 'serif', 'Arial', 'Liberation Sans', 'Noto Sans', 'no such font']
    const lines = families.map((name) => `<span style="font: 100px '${name}'">mmmmmmmmmm</span>`)
    await page.setContent(lines.join('<br>').replace(/'(system-ui|sans-serif|serif)'/g, '$1'))
    const widths = await page.evaluate(`[...document.querySelectorAll('span')].map((each) => each.offsetWidth)`)
    // The letter m of DejaVu Sans is 0.974 times as wide as the font is high, rounded or not.
    for (const width of widths as number[]) expect(width).to.be.within(970, 974)
    await page.close()
  })
})
