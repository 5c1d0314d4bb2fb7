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

const TABLE = `
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000
blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00
chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b
darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b
darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f
darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493
deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22
fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f
grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a
lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de
lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa
mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee
mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa
mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500
orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093
papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399
red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57
seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee
wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32`

/** The named colours, lower case, each as six hex digits. @see CSS Color 4 §6.1 */
const NAMED_COLOURS: ReadonlyMap<string, string> = new Map(
  Array.from(TABLE.matchAll(/([a-z]+)\s+([\da-f]{6})/g), ([, name = '', hex = '']) => [name, hex]),
)
