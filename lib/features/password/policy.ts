import { loadOnce } from '../../kernel/awaitable.js'
import { foldAddress } from '../../providers/mail/address.js'
import type { BreachCheck } from './breached.js'
import { normalized } from './hash.js'

/** Why a new password is not accepted. */
export type Refusal = 'too-short' | 'too-long' | 'common' | 'personal' | 'breached' | 'unavailable'

/** Characters of a password that is the only proof (NIST SP 800-63B-4 §3.1.1.2). */
export const MIN_LENGTH = 15
/** Bytes of the longest password: more is only work for the hash. It is refused, and never cut. */
const MAX_BYTES = 1024

/** What a new password is held against. */
export interface PasswordPolicy {
  /** Characters, as people count them. */
  readonly minLength: number
  /** Words of the application, such as its name. */
  readonly words: readonly string[]
  /** Null if nobody is asked. */
  readonly isBreached: BreachCheck | null
}

/**
 * Why somebody must choose another password; null if this one may be used. There are no rules about kinds of characters: they make
 * passwords that are easy to guess and hard to remember (PWD-03).
 *
 * @param of who will have it
 */
export async function refusalOf(
  password: string,
  of: { readonly email: string; readonly name?: string | null | undefined },
  { minLength, words, isBreached }: PasswordPolicy,
): Promise<Refusal | null> {
  const chosen = normalized(password)
  if (Buffer.byteLength(chosen) > MAX_BYTES) return 'too-long'
  if ([...chosen].length < minLength) return 'too-short'
  const core = bare(chosen)
  const [mailbox = ''] = of.email.split('@')
  const personal = [of.email, mailbox, of.name ?? '', ...words].map(bare)
  const isShort = (text: string) => text.length < minLength / 2
  // What is left without the word must be a password by itself.
  if (personal.some((word) => word.length >= 3 && core.includes(word) && isShort(withoutWord(core, word))))
    return 'personal'
  // Nobody sees what joins emoji.
  const seen = foldAddress(chosen).replace(/\p{DI}/gu, '')
  // One text again and again is as easy to guess as the text alone, and digits around it add little.
  const unit = unitOf(core)
  if (isLittle(unitOf(seen), seen)) return 'common'
  // One sign again and again makes no password of a short word.
  if (isLittle(seen.replace(REPEATED, '$1'), seen, Math.max(MIN_UNIT, minLength / 2))) return 'common'
  // Where there are few letters and digits, the signs between them may make it a password.
  if (!isShort(core) && isLittle(unit, core)) return 'common'
  const word = unit.replace(/^\d+|\d+$/g, '')
  const common = await loadCommon()
  if ([chosen.toLowerCase(), core, unit, word].some((each) => common.has(each))) return 'common'
  return (await isBreached?.(chosen)) ?? null
}

/** Characters that a password has at least if it is only repeated. */
const MIN_UNIT = 6

/** The shortest start of a text that makes all of it, again and again; the last time perhaps not to its end. */
function unitOf(text: string): string {
  let length = 1
  while (!text.startsWith(text.slice(length))) length += 1
  return text.slice(0, length)
}

/** What comes several times in a row. */
const REPEATED = /(.+?)\1+/gsu

/** Whether little is left of a text without its repetitions. */
const isLittle = (left: string, text: string, least = MIN_UNIT): boolean =>
  [...left].length < least && left.length <= text.length / 2

/** The passwords that everybody tries first, loaded with the first new password. */
const loadCommon = loadOnce(async (): Promise<ReadonlySet<string>> => {
  const { default: list } = await import('./common-passwords.json', { with: { type: 'json' } })
  return new Set(list.passwords.split(' '))
})

/** Letters and digits alone, in small letters: `P.assword!` is the word that everybody tries. */
const bare = (text: string): string => foldAddress(text).replace(/[^\p{L}\p{N}]/gu, '')

const withoutWord = (text: string, word: string): string => text.split(word).join('')
