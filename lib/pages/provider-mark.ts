import type { OAuthProviderButtonStyles } from '../providers/provider.js'
import { EDGE_CONTRAST, parseColour, readableOn, toHex } from './colour.js'
import { parseImageSource } from './image-source.js'

/** The sign in front of a provider's name: an image of this origin, or its first letter on its colour. */
export type ProviderMark =
  | { readonly kind: 'image'; readonly src: string }
  /** `fill` and `ink` are `#rrggbb`; null leaves both to the stylesheet. */
  | { readonly kind: 'letter'; readonly letter: string; readonly fill: string | null; readonly ink: string | null }

/** The mark of a provider. An image from another host is never used: its owner would learn who is about to sign in. */
export function providerMark(name: string, style: Readonly<OAuthProviderButtonStyles> = {}): ProviderMark {
  const image = parseImageSource(style.logo)
  if (image && image.origin === null) return { kind: 'image', src: image.src }
  const fill = parseColour(style.brandColor ?? style.bg)
  return {
    kind: 'letter',
    letter: firstLetter(name),
    fill: fill && toHex(fill),
    // A mark is a picture, not text: the name stands beside it. Three to one is what pictures need (WCAG 1.4.11).
    ink: fill && toHex(readableOn(fill, EDGE_CONTRAST)),
  }
}

const firstLetter = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toLocaleUpperCase('en') ?? '•'
