/** In characters of JavaScript. No password, name or address that counts is longer: one of 1,024 bytes has 2,048 at most. */
const LONGEST = 2048

/**
 * A text in one spelling of its characters. A longer one than anything that counts stays as it is: accents in the wrong order take a
 * time that grows with the square of their number, and nobody else is served meanwhile.
 */
export const normalizedText = (text: string, form: 'NFC' | 'NFKC'): string =>
  text.length > LONGEST ? text : text.normalize(form)
