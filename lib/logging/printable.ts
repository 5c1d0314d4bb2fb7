/**
 * What a terminal or a reader does not show as it is. Control characters and line separators (Cc, Zl, Zp) begin a new line, or tell a terminal what to do.
 * Marks turn the direction of the text (Cf). Others are drawn as nothing, fillers of Hangul among them, which are letters by their category.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** A text on one line, whoever wrote it: nobody can forge a line of the log, or hide one (CWE-117). */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

/** As JSON escapes it: each half of a pair by itself. */
const escaped = (character: string) =>
  character
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
