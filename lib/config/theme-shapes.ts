import { isPlainObject } from '../kernel/describe-value.js'
import { object } from '../kernel/object-shape.js'
import { problemsOf, quoted, type Shape, text } from '../kernel/shape.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { parseColour } from '../pages/colour.js'
import { parseImageSource } from '../pages/provider-mark.js'
import { BUILT_IN_LANGUAGES, ENGLISH, placeholdersOf, scriptOf, type TextKey } from '../pages/texts/text.js'
import type { ReplacedTexts } from '../pages/texts/words.js'

/** A BCP 47 language tag, as browsers send it. */
const isLanguageTag = (value: unknown): value is string => typeof value === 'string' && scriptOf(value) !== null

/** At least one language tag. */
export const languageList: Shape<string[]> = {
  expected: `a list of language tags, such as ${BUILT_IN_LANGUAGES.slice(0, 2)
    .map((tag) => `"${tag}"`)
    .join(' and ')}`,
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isLanguageTag),
  isPublic: true,
}

/** A colour that the pages understand; empty for none, as in the theme of Auth.js. */
export const colour: Shape<string> = {
  expected: 'a colour: a hex colour such as "#0f6b5c", a name, rgb() or hsl()',
  fits: (value) => value === '' || parseColour(value) !== null,
  isPublic: true,
}

/** An image that every page can show; empty for none. A relative path would lead to another file below each page. */
export const image: Shape<string> = {
  expected: 'a path that begins with /, an http(s) URL or a data:image/ URL',
  fits: (value) =>
    value === '' || (typeof value === 'string' && /^(?:\/|[a-z]+:)/i.test(value) && parseImageSource(value) !== null),
}

/** A path of this origin, or an http(s) URL. */
export const pageLink: Shape<string> = {
  expected: 'a path that begins with /, or an http(s) URL',
  fits: (value) =>
    typeof value === 'string' &&
    (/^\/(?![\\/])[^\s\\]*$/.test(value) || (isAbsoluteUrl(value) && /^https?:$/.test(new URL(value).protocol))),
  isPublic: true,
}

/** A text in place of ours. It may leave placeholders out, but has no others. */
const replacedText = (key: TextKey): Shape<string> => {
  const known = ['site', ...placeholdersOf(ENGLISH[key])]
  return {
    expected: `a text, in which only ${known.map((name) => `{${name}}`).join(' and ')} can be replaced`,
    fits: (value) => text.fits(value) && placeholdersOf(value as string).every((name) => known.includes(name)),
  }
}

const textsOfOneLanguage = object<Record<string, string>>(
  Object.fromEntries((Object.keys(ENGLISH) as TextKey[]).map((key) => [key, replacedText(key)])),
)

/** Texts in place of ours, by language tag and key. */
export const replacedTexts: Shape<ReplacedTexts> = {
  expected: 'an object',
  fits: isPlainObject,
  inside: (value, path) =>
    Object.entries(value as object).flatMap(([tag, texts]) =>
      isLanguageTag(tag)
        ? problemsOf(texts, textsOfOneLanguage, `${path}.${tag}`)
        : [
            {
              kind: 'name',
              path: `${path}.${tag}`,
              message: `${quoted(`${path}.${tag}`)} is no language tag, such as "de".`,
            },
          ],
    ),
}
