/**
 * Characters that a terminal or a reader does not show as they are. Control characters and line separators (Cc, Zl, Zp)
 * begin a new line or control the terminal. Format characters (Cf) change the direction of text. The other characters
 * are invisible, among them the fillers of Hangul, which are letters by category.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** A text on one line, so that its author cannot forge or hide a line of the log (CWE-117). */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped)

/**
 * The start of a text, on one line. It is cut before anything else, so that a long text costs no time.
 *
 * @param most characters
 */
export function printableStart(text: string, most: number): string {
  const plain = printable(text.slice(0, most))
  return text.length > most || plain.length > most ? `${plain.slice(0, most)}…` : plain
}

/** As JSON escapes it: each half of a pair by itself. */
const escaped = (character: string) =>
  character
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
