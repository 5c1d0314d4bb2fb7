/** Longer entries are not read: to fold a text takes a time that grows with its length. */
const MAX_ENTERED = 100

/**
 * A code as somebody has entered it, without blanks and dashes and in upper case; empty for what is too long. Keyboards for Japanese
 * write wide letters, and what is copied from a mail in Arabic may have marks of its direction.
 */
export const foldedCode = (entered: string): string =>
  entered.length > MAX_ENTERED
    ? ''
    : entered
        .normalize('NFKC')
        .replace(/[\s\p{Pd}\p{Cf}]/gu, '')
        .toUpperCase()
