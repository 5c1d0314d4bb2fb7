import axe from 'axe-core'
import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** A folder for pictures of the pages; without it none are made. */
const SCREENSHOTS = process.env['SCREENSHOTS']

const SCREENS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [390, 1280].map((width) => ({ colorScheme, width })),
)

/** The options of a context for {@link expectSound}: axe-core is a script, which pages do not admit, and sees half a transition. */
export const FOR_AXE = { javaScriptEnabled: true, bypassCSP: true, reducedMotion: 'reduce' } as const

/** Expects that a page fits into a phone and a laptop, and has no fault that axe-core finds, light and dark. */
export async function expectSound(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  for (const { colorScheme, width } of SCREENS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 844 })
    if (SCREENSHOTS)
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    const wider = await page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth)
    expect(wider, `${name} is wider than the screen of ${width} pixels`).to.equal(0)
    const faults = await page.evaluate(
      `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
    )
    expect(faults, `${name}, ${width} pixels, ${colorScheme}`).to.deep.equal([])
  }
}
