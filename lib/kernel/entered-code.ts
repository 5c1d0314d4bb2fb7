/** Longer entries are not read: to fold a text takes a time that grows with its length. */
const MAX_ENTERED = 100

/**
 * A code as somebody has entered it, without blanks and dashes, in upper case and with plain digits; empty for what is too long.
 * Keyboards for Japanese write wide letters, and what is copied from a mail in Arabic may have marks of its direction.
 */
export const foldedCode = (entered: string): string =>
  entered.length > MAX_ENTERED
    ? ''
    : withPlainDigits(entered.normalize('NFKC').replace(/[\s\p{Pd}\p{Cf}]/gu, '')).toUpperCase()

/** The longest code of an authenticator app, with room (RFC 4226 §5.3). */
const LONGEST_GUESSED = 8

/** Whether somebody could find a code by trying. Nobody finds a recovery code, which is longer. */
export const isGuessableCode = (entered: string): boolean => foldedCode(entered).length <= LONGEST_GUESSED

/** A text with the digits 0 to 9 in place of those of any other script. */
export const withPlainDigits = (text: string): string => text.replace(/(?![0-9])\p{Nd}/gu, digitOf)

/** The digits of a script stand in a row, from a code that ends with 0 or 6 in hex (Unicode §4.6). */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  const last = code % 16
  return String(/\p{Nd}/u.test(String.fromCodePoint(code - last)) ? last : last - 6)
}
