import { parseUrl } from '../kernel/urls.js'
import type { OAuthProviderButtonStyles } from '../providers/provider.js'
import { type Colour, contrastRatio, EDGE_CONTRAST, parseColour, readableOn, toHex } from './colour.js'

/** A logo in a box of its own. */
export interface DrawnMark {
  /** The `viewBox` of the SVG: `0 0 256 256`. */
  readonly viewBox: string
  /**
   * SVG path data, and `#rrggbb` where the owner of the logo asks for its own colours. A logo has these colours in all of
   * its parts, or in none: then it has the brand colour of the provider.
   */
  readonly parts: readonly { readonly path: string; readonly fill?: string }[]
}

/** The logos of providers by provider id. A text is SVG path data for a box of 24 by 24, in one colour. */
export type ProviderMarks = Readonly<Record<string, string | DrawnMark>>

/**
 * The picture in front of a provider's name: an image of this origin, the provider's logo in one colour or in its own
 * colours, or the first letter of the name on the provider's colour.
 */
export type ProviderMark =
  | { readonly kind: 'image'; readonly src: string }
  /**
   * `path` is SVG path data for the box `viewBox`, `fill` is `#rrggbb`. `light` and `dark` say whether the fill can be
   * seen well on a button of that scheme. If it cannot, the mark has the colour of the button's text.
   */
  | {
      readonly kind: 'vector'
      readonly viewBox: string
      readonly path: string
      readonly fill: string | null
      readonly light: boolean
      readonly dark: boolean
    }
  /** Each part has the colour that the owner of the logo gave it, in both schemes; `fill` is `#rrggbb`. */
  | {
      readonly kind: 'colours'
      readonly viewBox: string
      readonly parts: readonly { readonly path: string; readonly fill: string }[]
    }
  /** `fill` and `ink` are `#rrggbb`; null leaves both to the stylesheet. */
  | { readonly kind: 'letter'; readonly letter: string; readonly fill: string | null; readonly ink: string | null }

/**
 * The backgrounds of a mark: a button, and a button under the pointer. They are `--raised` and `--hover` of the
 * stylesheets.
 */
export const BUTTON: Readonly<Record<'light' | 'dark', readonly Colour[]>> = {
  light: [
    [255, 255, 255],
    [245, 246, 249],
  ],
  dark: [
    [31, 34, 42],
    [40, 44, 54],
  ],
}

/**
 * The mark of a provider. An image from another host is never used: its owner would learn who is about to sign in.
 *
 * @param logo the provider's logo, if there is one: path data for a box of 24 by 24, or a box and its parts
 */
export function providerMark(
  name: string,
  style: Readonly<OAuthProviderButtonStyles> = {},
  logo?: string | DrawnMark,
): ProviderMark {
  const image = parseImageSource(style.logo)
  if (image && image.origin === null) return { kind: 'image', src: image.src }
  const fill = parseColour(style.brandColor ?? style.bg)
  if (logo !== undefined) return drawnMark(logo, fill)
  return {
    kind: 'letter',
    letter: firstLetter(name),
    fill: fill && toHex(fill),
    // The letter counts as a picture and not as text, because the name is beside it. Pictures need a contrast of 3 to 1
    // (WCAG 1.4.11).
    ink: fill && toHex(readableOn(fill, EDGE_CONTRAST)),
  }
}

function drawnMark(logo: string | DrawnMark, fill: Colour | null): ProviderMark {
  const { viewBox, parts } = typeof logo === 'string' ? { viewBox: '0 0 24 24', parts: [{ path: logo }] } : logo
  const coloured = parts.flatMap(({ path, fill: own }) => (own === undefined ? [] : [{ path, fill: own }]))
  if (coloured.length === parts.length) return { kind: 'colours', viewBox, parts: coloured }
  const isSeen = (scheme: 'light' | 'dark') => fill !== null && isSeenOn(fill, BUTTON[scheme])
  return {
    kind: 'vector',
    viewBox,
    path: parts.map(({ path }) => path).join(''),
    fill: fill && toHex(fill),
    light: isSeen('light'),
    dark: isSeen('dark'),
  }
}

const isSeenOn = (fill: Colour, backgrounds: readonly Colour[]): boolean =>
  backgrounds.every((background) => contrastRatio(fill, background) >= EDGE_CONTRAST)

const firstLetter = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toLocaleUpperCase('en') ?? '•'

/** An image that a page may show. */
export interface ImageSource {
  /** Value of `src`. */
  readonly src: string
  /** Origin that the content policy has to admit; null for this origin and for `data:` URLs. */
  readonly origin: string | null
}

const DATA_IMAGE = /^data:image\/[a-z\d.+-]{1,40}[;,]/i
const HOST = /^(?:[a-z\d-]+\.)*[a-z\d-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/
/** The origin against which paths are resolved: a path stays on it, and a URL of another host does not. */
const BASE = 'https://base.invalid'

/**
 * The image that an http(s) URL, a path or a `data:image/` URL names.
 *
 * @returns null for anything else, and for a URL that starts with `//`
 */
export function parseImageSource(value: unknown): ImageSource | null {
  if (typeof value !== 'string' || value === '') return null
  if (DATA_IMAGE.test(value)) return { src: value, origin: null }
  const url = parseUrl(value)
  if (url !== null) {
    const { protocol, host, origin, href } = url
    // A host may hold ";" and ",", which would end a directive of the content policy.
    const usable = (protocol === 'https:' || protocol === 'http:') && HOST.test(host)
    return usable ? { src: href, origin } : null
  }
  if (parseUrl(value, BASE)?.origin !== BASE) return null
  return { src: value, origin: null }
}
