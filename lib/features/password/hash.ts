import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { RETRY_AFTER } from '../../kernel/answer-headers.js'
import { within } from '../../kernel/awaitable.js'
import { AuthError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { normalizedText } from '../../kernel/normalized-text.js'
import type { HashImporter } from '../../providers/provider.js'

/** What a password was found to be. */
export interface Verdict {
  readonly isRight: boolean
  /** Whether a right password should be hashed anew, because other parameters are in use now. */
  readonly isOutdated: boolean
}

/** Parameters of scrypt (RFC 7914 §2): N is 2 to the power of `ln`. */
interface Cost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

/**
 * One of the settings that OWASP's Password Storage Cheat Sheet holds for equal: 32 MiB for each check. The one with 128 MiB takes
 * nearly twice as long here, and so lets half as many people in during a storm of sign-ins.
 */
const COST: Cost = { ln: 15, r: 8, p: 3 }

/** Bytes that a stored hash may have filled, at once or one after the other: more is no hash of ours, and could stop the process. */
const MOST_BYTES = 2 ** 29

const SALT_BYTES = 16
const KEY_BYTES = 32

/** The threads of libuv also read files and look up hosts: four by default. */
const inTurn = createQueue({ running: 2, waiting: 1000, waitMs: 15_000 })
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

const keyOf = (password: string, salt: Buffer, { ln, r, p }: Cost, bytes: number): Promise<Buffer> => {
  const N = 2 ** ln
  return inTurn(() => derive(password, salt, bytes, { N, r, p, maxmem: 128 * r * (N + p + 2) }))
}

/**
 * One spelling for each password: what looks the same on two keyboards is the same (Unicode NFKC). It is never cut, and capitals
 * stay.
 */
export const normalized = (password: string): string => normalizedText(password, 'NFKC')

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/**
 * Hashes a password with scrypt, which every supported version of Node has: processes with different versions share a store.
 *
 * @returns a text that has the parameters with the hash, such as `$scrypt$ln=15,r=8,p=3$salt$hash` (PHC string format)
 * @throws {RequestRefused} 503 when too many passwords are being hashed
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await keyOf(normalized(password), salt, COST, KEY_BYTES)
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${base64(salt)}$${base64(key)}`
}

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]{11,86})\$([\w+/]{22,86})$/

/** The parts of a hash of ours; null for any other text, and for one that asks for more than {@link MOST_BYTES}. */
function partsOf(hash: string) {
  const [, ln, r, p, salt = '', key = ''] = FORM.exec(hash) ?? []
  const cost: Cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  // N is less than 2 to the power of 128·r/8.
  const isPossible = Math.min(cost.ln, cost.r, cost.p) >= 1 && cost.ln < 16 * cost.r
  const isUsable = isPossible && 128 * 2 ** cost.ln * cost.r * cost.p <= MOST_BYTES
  return isUsable ? { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') } : null
}

/** Whether a text is a hash of ours, or of a kind that an importer reads. */
export const canRead = (hash: string, importers: readonly HashImporter[]): boolean =>
  partsOf(hash) !== null || importers.some((each) => each.reads(hash))

/**
 * Whether a password has a hash. The check takes the same time, whether there is a hash, whether it can be read, and who made it:
 * our own derivation and every importer run once (PWD-10).
 *
 * @param hash null for somebody who has no password
 * @throws {RequestRefused} 503 when too many passwords are being checked
 * @throws {AuthError} when an importer throws or hangs, whoever asks
 */
export async function checkHash(
  password: string,
  hash: string | null,
  importers: readonly HashImporter[],
): Promise<Verdict> {
  const parts = partsOf(hash ?? '')
  const { cost, salt, key } = parts ?? NOBODYS
  const derived = await keyOf(normalized(password), salt, cost, key.length)
  const isOurs = timingSafeEqual(derived, key) && parts !== null
  const foreign = parts === null && hash !== null ? importers.find((each) => each.reads(hash)) : undefined
  let isTheirs = false
  for (const each of importers) {
    const isMatch = await ask(each, password, each === foreign && hash !== null ? hash : each.sample)
    if (each === foreign) isTheirs = isMatch
  }
  const isOutdated = cost.ln !== COST.ln || cost.r !== COST.r || cost.p !== COST.p
  return { isRight: isOurs || isTheirs, isOutdated: isTheirs || isOutdated }
}

/** Milliseconds that an importer may take for one hash. */
const IMPORTER_TIMEOUT_MS = 10_000

/** Asks an importer in its turn. Its place in the queue is free again when the time is over. */
const ask = (importer: HashImporter, password: string, hash: string): Promise<boolean> =>
  inTurn(async () => {
    try {
      const answer = (async () => importer.verify(password, hash))()
      const late = () => new Error(`no answer within ${IMPORTER_TIMEOUT_MS} ms`)
      return (await within(answer, IMPORTER_TIMEOUT_MS, late)) === true
    } catch (error) {
      throw new AuthError('An importer of Password() could not check a hash.', { err: withoutDetails(error) })
    }
  })

/** Stands for the hash of people who have none. */
const NOBODYS = { cost: COST, salt: Buffer.alloc(SALT_BYTES), key: Buffer.alloc(KEY_BYTES) }

/**
 * Runs work of which each piece takes a core and much memory: a few at a time, in the order in which they came. What comes when
 * too many wait is refused at once, and what has waited for too long when its turn comes: by then its client has mostly gone. So a
 * storm of sign-ins takes neither all memory nor all threads of the process, and holds nobody up for longer.
 */
function createQueue(most: { readonly running: number; readonly waiting: number; readonly waitMs: number }) {
  let free = most.running
  const turns: (() => void)[] = []
  const busy = () =>
    new RequestRefused(503, 'Too many passwords are being checked. Try again in a moment.', RETRY_AFTER)
  /** @throws {RequestRefused} 503 when too many wait, or too long */
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const from = performance.now()
    if (free > 0) free -= 1
    else if (turns.length < most.waiting) await new Promise<void>((resolve) => turns.push(resolve))
    else throw busy()
    try {
      if (performance.now() - from > most.waitMs) throw busy()
      return await work()
    } finally {
      const next = turns.shift()
      // The place is handed on: nobody who comes meanwhile can take it.
      if (next) next()
      else free += 1
    }
  }
}
