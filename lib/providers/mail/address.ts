import { domainToASCII, domainToUnicode } from 'node:url'
import { normalizedText } from '../../kernel/normalized-text.js'

/** RFC 5321 §4.5.3.1, in octets. */
const MAX_LOCAL_OCTETS = 64
const MAX_ADDRESS_OCTETS = 254
/** RFC 1035 §2.3.4. */
const MAX_LABEL_OCTETS = 63

/** Longer texts are no addresses, and are not folded: that turns some characters into eighteen. */
const MAX_UNFOLDED = 1000

/**
 * One address and nothing else: the atoms of RFC 5322 §3.2.3, with letters of all scripts (RFC 6531). What gives the rest of that
 * grammar a meaning is not in it: quotes, comments, groups, lists, routes, literals, blanks and control characters. A mailer that
 * parses such a text may send to somebody else than the one whose name it seemed to be (GHSA-5jpx-9hw9-2fx4, CVE-2022-35924).
 */
const ADDRESS = /^([\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+)@([\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*)$/u

/** A mailer may decode it, and send to another address that it has in it (RFC 2047 §5). */
const ENCODED_WORD = /=\?.*\?=/

/**
 * A text in the one spelling of its characters, in small letters, without blanks around it. What it leaves apart are other
 * addresses: letters with and without an accent are two.
 */
export const foldAddress = (text: string): string =>
  // Twice, since lower case may bring up what folds again.
  normalizedText(normalizedText(text, 'NFKC').trim().toLowerCase(), 'NFKC')

/**
 * The one form of an address as somebody typed it: folded, in lower case, without blanks around it, its domain in Unicode.
 *
 * @returns null for whatever is not one plain address. Nothing is cut off to make it one.
 */
export function parseAddress(text: string): string | null {
  if (text.length > MAX_UNFOLDED) return null
  // Folded before it is looked at: U+FF20, a wide @, is no @ to a check and one to a mailer (CVE-2026-73420).
  const [, local, domain] = ADDRESS.exec(foldAddress(text)) ?? []
  if (local === undefined || domain === undefined) return null
  const host = parseDomain(domain)
  if (host === null || ENCODED_WORD.test(local) || Buffer.byteLength(local) > MAX_LOCAL_OCTETS) return null
  const address = `${local}@${host}`
  return Buffer.byteLength(address) > MAX_ADDRESS_OCTETS ? null : address
}

/** A domain in Unicode; null where resolvers would look up another name than the one written (UTS 46), or none. */
function parseDomain(domain: string): string | null {
  const ascii = domainToASCII(domain)
  const unicode = domainToUnicode(ascii)
  const isAsWritten = ascii !== '' && (domain === ascii || domain === unicode)
  if (ascii.split('.').some((label) => label.length > MAX_LABEL_OCTETS)) return null
  // A last label of digits makes an address of the network (RFC 3696 §2).
  return isAsWritten && !/(?:^|\.)\d+$/.test(ascii) ? unicode : null
}

/**
 * An address as mail servers take it, its domain in ASCII (RFC 5890 §2.3.2.1).
 *
 * @throws {TypeError} when it is not one plain address, as an application's own `normalizeIdentifier` may give
 */
export function recipient(identifier: string): string {
  if (parseAddress(identifier) === null || identifier.normalize('NFKC') !== identifier) {
    throw new TypeError('The recipient is not one plain e-mail address. Nothing was sent.')
  }
  const address = identifier.trim()
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}

/** Who a mail is from. */
export interface Sender {
  /** Empty for none. */
  readonly name: string
  readonly address: string
  /** Both, as a header has them. */
  readonly text: string
}

/** The sender that an application names, `Example <no-reply@example.com>` or the address alone; null when it is neither. */
export function parseSender(from: string): Sender | null {
  const [, quoted, bare, inBrackets] = /^\s*(?:"([^"\\\p{C}]*)"|([^"<>\\\p{C}]*?))\s*<([^<>\s]+)>\s*$/u.exec(from) ?? []
  const address = (inBrackets ?? from).trim()
  if (parseAddress(address) === null) return null
  const name = (quoted ?? bare ?? '').trim()
  return { name, address, text: from.trim() }
}

/** The sender of a link: the one that the application names, else `no-reply@` the host that the link leads to. */
export function senderOf(from: string | undefined, url: string): Sender {
  const { hostname } = new URL(url)
  const address = `no-reply@${hostname}`
  const sender = parseSender(from || (parseAddress(address) ?? 'no-reply@localhost'))
  if (!sender) throw new TypeError('`from` is neither an address nor `Name <address>`. Nothing was sent.')
  return sender
}
