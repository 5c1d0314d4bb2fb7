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

/**
 * Letters and digits of which none looks like another one (Crockford's base 32), of which recovery codes are made. 24 of them have 120
 * random bits, so that nobody finds one by trying (MFA-02).
 */
export const RECOVERY_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const RECOVERY_LENGTH = 24
const RECOVERY_CODE = new RegExp(`^[${RECOVERY_LETTERS}]{${RECOVERY_LENGTH}}$`)

/** A code of a second factor, with the letters that look like digits as these. It is folded once: that of a folded one is another. */
export const foldedFactor = (entered: string): string => foldedCode(entered).replace(/O/g, '0').replace(/[IL]/g, '1')

/** Whether what was entered is a recovery code, right or wrong. Then it is no code of an app, whatever it looks like. */
export const isRecoveryCode = (folded: string): boolean => RECOVERY_CODE.test(folded)

/** A text with the digits 0 to 9 in place of those of any other script. */
export const withPlainDigits = (text: string): string => text.replace(/(?![0-9])\p{Nd}/gu, digitOf)

/** The digits of a script stand in a row, from a code that ends with 0 or 6 in hex (Unicode §4.6). */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  const last = code % 16
  const value = /\p{Nd}/u.test(String.fromCodePoint(code - last)) ? last : last - 6
  // Few scripts have their digits elsewhere. Then they stay as they are, and are no digits of a code.
  return value >= 0 && value <= 9 ? String(value) : digit
}
