import english from './en.json' with { type: 'json' }

/**
 * Every text of the built-in pages and mails, in English. The other languages have the same keys. The first word of a key
 * says for what it is: a page, the fields of forms, mails.
 *
 * A name in braces is replaced: `{site}` by the name of the application, or by its host if it has no name.
 */
// Copied, so that the declaration has the keys: TypeScript resolves JSON only where an application has turned that on.
export const ENGLISH = { ...english }

/** Key of a text of the built-in pages and mails. */
export type TextKey = keyof typeof ENGLISH

/** All texts in one language. */
export type Texts = Readonly<Record<TextKey, string>>

/** A text of the pages, by its key, with the values of its placeholders. The language is chosen when it is shown. */
export interface Text {
  readonly key: TextKey
  readonly values?: TextValues
}

/** Values of placeholders, by their names: `{ provider: 'GitHub' }` for `{provider}`. */
export type TextValues = Readonly<Record<string, string>>

/** A text of the pages, or a text that the application gives, which is shown as it is. */
export type Wording = Text | string

/** A text with values for its placeholders. */
export const pageText = (key: TextKey, values?: TextValues): Text => (values ? { key, values } : { key })

const PLACEHOLDER = /\{([a-z]+)\}/gi

/** The names of the placeholders of a text. */
export const placeholdersOf = (pattern: string): readonly string[] =>
  Array.from(pattern.matchAll(PLACEHOLDER), ([, name = '']) => name)

/**
 * Replaces the placeholders of a text.
 *
 * @param show how a value is written; a placeholder without a value stays as it is
 */
export const fillText = (pattern: string, values: TextValues, show: (value: string) => string): string =>
  pattern.replace(PLACEHOLDER, (all, name: string) => (Object.hasOwn(values, name) ? show(values[name] ?? '') : all))
