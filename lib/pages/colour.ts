import { NAMED_COLOURS } from './named-colours.js'

/** An opaque sRGB colour; each channel from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

export const WHITE: Colour = [255, 255, 255]
export const BLACK: Colour = [0, 0, 0]

/** WCAG 2.2 AA: what text needs against its background (1.4.3), and what the edge of a control needs (1.4.11). */
export const TEXT_CONTRAST = 4.5
export const EDGE_CONTRAST = 3

const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i
const NUMBER = '(\\d{1,3}(?:\\.\\d{1,4})?)'
const ALPHA = '(?: ?[,/] ?(?:[01]|[01]?\\.\\d{1,4}|\\d{1,3}%))?'
const RGB = new RegExp(`^rgba?\\( ?${NUMBER}(%?) ?[, ] ?${NUMBER}\\2 ?[, ] ?${NUMBER}\\2${ALPHA} ?\\)$`, 'i')
const HSL = new RegExp(`^hsla?\\( ?${NUMBER}(?:deg)? ?[, ] ?${NUMBER}% ?[, ] ?${NUMBER}%${ALPHA} ?\\)$`, 'i')

/**
 * A colour written as CSS allows: `#rgb`, `#rrggbb`, a name, `rgb()` or `hsl()`. Transparency is ignored.
 *
 * @returns null for anything else: what is not understood never reaches a stylesheet
 */
export function parseColour(value: unknown): Colour | null {
  if (typeof value !== 'string' || value.length > 64) return null
  const text = value.trim().replace(/\s+/g, ' ').toLowerCase()
  const named = NAMED_COLOURS.get(text)
  if (named) return fromHex(named)
  if (HEX.test(text)) return fromHex(text.length < 6 ? text.slice(1, 4).replace(/./g, '$&$&') : text.slice(1, 7))
  const rgb = RGB.exec(text)
  if (rgb) {
    const [, red, percent, green, blue] = rgb
    const channel = (digits = '') => (percent ? (Number(digits) * 255) / 100 : Number(digits))
    const channels = [channel(red), channel(green), channel(blue)] as const
    return channels.every((channel) => channel <= 255) ? channels : null
  }
  const hsl = HSL.exec(text)
  return hsl ? fromHsl(Number(hsl[1]), Number(hsl[2]) / 100, Number(hsl[3]) / 100) : null
}

/** A colour as `#rrggbb`, the one form in which colours enter a page. */
export const toHex = (colour: Colour): string =>
  `#${colour.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

/** Contrast of two colours, from 1 to 21. @see WCAG 2.2, "contrast ratio" */
export function contrastRatio(left: Colour, right: Colour): number {
  const [lighter, darker] = [luminance(left), luminance(right)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/**
 * White if its contrast with the background is at least `ratio`, else black. With a ratio of 4.58 or less, one of the
 * two always has the contrast.
 */
export const readableOn = (background: Colour, ratio = TEXT_CONTRAST): Colour =>
  contrastRatio(WHITE, background) >= ratio ? WHITE : BLACK

/** A mixture of two colours: `share`, from 0 to 1, of the first and the rest of the second. */
export const mix = (colour: Colour, other: Colour, share: number): Colour =>
  colour.map((channel, index) => Math.round(channel * share + (other[index] ?? 0) * (1 - share))) as unknown as Colour

/**
 * The colour itself, if its contrast with the background is at least `ratio`. Else the mixture with black or white that
 * has this contrast and is nearest to the colour.
 */
export function withContrast(colour: Colour, background: Colour, ratio: number): Colour {
  const goal = readableOn(background)
  for (let share = 1; share > 0; share -= 0.02) {
    const candidate = mix(colour, goal, share)
    if (contrastRatio(candidate, background) >= ratio) return candidate
  }
  return goal
}

/** Whether a colour is grey, or so close to grey that nobody sees a hue. */
export const isGrey = (colour: Colour): boolean => Math.max(...colour) - Math.min(...colour) < 16

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const fromHex = (digits: string): Colour => [
  Number.parseInt(digits.slice(0, 2), 16),
  Number.parseInt(digits.slice(2, 4), 16),
  Number.parseInt(digits.slice(4, 6), 16),
]

function fromHsl(hue: number, saturation: number, lightness: number): Colour | null {
  if (saturation > 1 || lightness > 1) return null
  const chroma = saturation * Math.min(lightness, 1 - lightness)
  // CSS Color 4 §7.1, hslToRgb
  const channel = (offset: number) => {
    const turn = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
