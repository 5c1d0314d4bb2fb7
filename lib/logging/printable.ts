/**
 * What a terminal or a reader does not show as it is (Unicode's Cc, Cf, Zl, Zp): control characters and line separators, which begin a new line or tell a
 * terminal what to do; marks that turn the direction of the text, or have no width.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text on one line, whoever wrote it: nobody can forge a line of the log, or hide one (CWE-117). */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

/** As JSON escapes it: each half of a pair by itself. */
const escaped = (character: string) =>
  character
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
