import {
  BLACK,
  type Colour,
  contrastRatio,
  EDGE_CONTRAST,
  isGrey,
  mix,
  parseColour,
  readableOn,
  TEXT_CONTRAST,
  toHex,
  WHITE,
  withContrast,
} from './colour.js'
import type { ReplacedTemplates } from './loaded-assets.js'
import { type ImageSource, parseImageSource } from './provider-mark.js'
import type { ReplacedTexts } from './texts/words.js'

/** How the built-in pages look. */
export interface Theme {
  /** `auto`, the default, follows the visitor's system. */
  colorScheme?: 'auto' | 'dark' | 'light'
  /** Image at the top of each page: an http(s) URL, a path on this origin, or a `data:image/` URL. */
  logo?: string
  /** Colour of the main button, of links and of the focus ring: a hex colour, a colour name, `rgb()` or `hsl()`. */
  brandColor?: string
  /** Colour of the text on the main button. If nobody could read it there, black or white replaces it. */
  buttonText?: string
  /** Name of the application, which the pages and mails show in place of its host. */
  name?: string
  /**
   * Languages that visitors are offered, as BCP 47 tags; the first is for visitors who understand none of them. By default
   * all that the package has and those of `texts`, with English first. One language is used for everybody.
   */
  languages?: readonly string[]
  /** Texts in place of ours, by language tag and key: `{ en: { 'signIn.title': 'Log in' } }`. */
  texts?: ReplacedTexts
  /**
   * Eta templates in place of ours, by name: `{ 'verify-request': '…' }`. The names are those of the files in `views/`,
   * without the ending.
   */
  views?: ReplacedTemplates
  /** Pages of the application to which the pages link, each a path or an http(s) URL. */
  links?: ThemeLinks
}

/** Pages of the application. A link that is not given is not there. */
interface ThemeLinks {
  /** Where somebody gets a new password; beside the field of the password. */
  forgot?: string
  /** Where somebody creates an account; below the forms of the sign-in page. */
  signUp?: string
  /** Below every page, like those that follow. */
  terms?: string
  privacy?: string
  support?: string
}

/** What a function that sends mails gets of a theme: each member, the default where the application gives none. */
export const themeOfMails = ({ colorScheme = 'auto', logo = '', brandColor = '', buttonText = '' }: Theme) => ({
  colorScheme,
  logo,
  brandColor,
  buttonText,
})

/** The colours of one scheme that depend on the theme, each as `#rrggbb`. The stylesheet has the others. */
export interface Palette {
  /** Background of the card, and of everything whose contrast is computed here. */
  readonly surface: string
  /** Fill of the main button, and the text on it. */
  readonly accent: string
  readonly accentHover: string
  readonly onAccent: string
  /** Border of the main button, and focus ring. It can be seen on the surface with every accent. */
  readonly edge: string
  /** Links and small icons, in the hue of the accent. The colour can be read as text on `soft`, too. */
  readonly ink: string
  /** A background with a little of the accent. */
  readonly soft: string
}

/** A theme, checked and computed once. */
export interface PageTheme {
  /** Null if the application gives none. */
  readonly name: string | null
  readonly links: Readonly<ThemeLinks>
  readonly colorScheme: 'auto' | 'dark' | 'light'
  readonly logo: ImageSource | null
  readonly light: Palette
  readonly dark: Palette
}

const SURFACE = { light: [255, 255, 255], dark: [24, 26, 32] } as const
const DEFAULT_BRAND: Colour = [52, 84, 209]
const PALE: Colour = [236, 237, 240]
/** More than {@link EDGE_CONTRAST}, and so little that white text can be read on it. */
const VISIBLE_ON_DARK = 3.6

/** Checks a theme and computes its palettes. A value that cannot be used is left out, as if it were not given. */
export function resolveTheme(theme: Theme): PageTheme {
  const brand = parseColour(theme.brandColor) ?? DEFAULT_BRAND
  const text = parseColour(theme.buttonText)
  return {
    colorScheme: theme.colorScheme === 'dark' || theme.colorScheme === 'light' ? theme.colorScheme : 'auto',
    // It stands in the subject of mails, too.
    name: theme.name?.replace(/\p{Cc}+/gu, ' ').trim() || null,
    links: theme.links ?? {},
    logo: parseImageSource(theme.logo),
    light: palette(brand, text, SURFACE.light, 0.1),
    dark: palette(forDark(brand), text, SURFACE.dark, 0.16),
  }
}

function palette(brand: Colour, text: Colour | null, surface: Colour, softness: number): Palette {
  const { accent, onAccent } = button(brand, text)
  const soft = mix(accent, surface, softness)
  return {
    surface: toHex(surface),
    accent: toHex(accent),
    accentHover: toHex(hovered(accent, onAccent)),
    onAccent: toHex(onAccent),
    edge: toHex(withContrast(accent, surface, EDGE_CONTRAST)),
    ink: toHex(withContrast(withContrast(accent, soft, TEXT_CONTRAST), surface, TEXT_CONTRAST)),
    soft: toHex(soft),
  }
}

/**
 * Fill and text of the main button. If their contrast is almost enough, the fill is changed a little, which nobody
 * notices. If it is far from enough, the text becomes black or white.
 */
function button(brand: Colour, text: Colour | null): { accent: Colour; onAccent: Colour } {
  const wanted = text ?? readableOn(brand, EDGE_CONTRAST)
  const onAccent = contrastRatio(wanted, brand) >= EDGE_CONTRAST ? wanted : readableOn(brand)
  const accent = withContrast(brand, onAccent, TEXT_CONTRAST)
  return contrastRatio(accent, onAccent) >= TEXT_CONTRAST
    ? { accent, onAccent }
    : { accent: brand, onAccent: readableOn(brand) }
}

/**
 * The fill one shade further from its text. A black fill under white text has no such shade; then it is one shade
 * nearer.
 */
function hovered(accent: Colour, onAccent: Colour): Colour {
  const shades = [BLACK, WHITE]
    .map((end) => mix(accent, end, 0.88))
    .filter((shade) => contrastRatio(shade, accent) > 1.08)
  const [shade = accent] = shades.sort((a, b) => contrastRatio(b, onAccent) - contrastRatio(a, onAccent))
  return contrastRatio(shade, onAccent) >= TEXT_CONTRAST ? shade : accent
}

/**
 * The accent on a dark card, where a dark brand colour could not be seen. A grey is inverted; another colour is made
 * lighter until it can be seen well.
 */
function forDark(brand: Colour): Colour {
  if (contrastRatio(brand, SURFACE.dark) >= VISIBLE_ON_DARK) return brand
  return isGrey(brand) ? PALE : withContrast(brand, SURFACE.dark, VISIBLE_ON_DARK)
}
