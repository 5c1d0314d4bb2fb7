import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { describeValue } from '../kernel/describe-value.js'
import { normalizedText } from '../kernel/normalized-text.js'
import { invalid } from '../kernel/shape.js'
import type { HashImporter } from './credentials.js'
import type { Awaitable } from './user.js'

/** A hash that asks for more is read by nobody: one row of a store could stop the process. */
const MOST = { iterations: 5_000_000, bytes: 2 ** 28, passes: 16, lanes: 16 }

const pbkdf2Key = promisify<string, string, number, number, string, Buffer>(pbkdf2)
const anyScryptKey = promisify<string, string | Buffer, number, object, Buffer>(scrypt)

interface ScryptCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

const scryptKey = (password: string, salt: string | Buffer, bytes: number, { N, r, p }: ScryptCost) =>
  anyScryptKey(password, salt, bytes, { N, r, p, maxmem: 128 * r * (N + p + 2) })

/** @throws {InvalidConfiguration} for what is no function, such as a whole module */
function requireFunction(given: unknown, call: string, cure: string): Record<string, never> {
  if (typeof given === 'function') return {}
  throw invalid(`${call} got ${describeValue(given)}; it takes a function: ${cure}.`)
}

const isWithin = (value: number, most: number): boolean => value >= 1 && value <= most

/** The key that a hash has, and how one is derived from a password to be compared with it. */
interface KeyToDerive {
  readonly key: Buffer
  readonly derive: (password: string) => Promise<Buffer>
}

/** @param parse null for a text that is no such hash */
const keyHashes = (sample: string, parse: (hash: string) => KeyToDerive | null): HashImporter => ({
  sample,
  reads: (hash) => parse(hash) !== null,
  async verify(password, hash) {
    const parsed = parse(hash)
    return parsed !== null && timingSafeEqual(await parsed.derive(password), parsed.key)
  },
})

/**
 * Hashes of bcrypt: `$2a$`, `$2b$`, `$2y$`, with a cost of 14 at most. They know 72 bytes of a password and no more.
 *
 * @param compare that of `bcrypt` or `bcryptjs`
 * @param options `pepper`: a text that was appended to each password, as Devise does
 */
export const bcryptHashes = (
  compare: (password: string, hash: string) => Awaitable<boolean>,
  { pepper = '' }: { pepper?: string } = {},
): HashImporter => ({
  ...requireFunction(compare, 'bcryptHashes(compare)', 'import { compare } from "bcryptjs"'),
  sample: `$2b$10$${'.'.repeat(53)}`,
  reads: (hash) => /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z\d]{53}$/.test(hash),
  // PHP's name of the same, which `bcrypt` does not know.
  verify: (password, hash) => compare(password + pepper, hash.replace(/^\$2y/, '$2b')),
})

const ARGON2 = /^\$argon2(?:id|i|d)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[\w+/]{11,86}\$[\w+/]{22,86}$/

/**
 * Hashes of Argon2: `$argon2id$`, `$argon2i$`, `$argon2d$`, with 256 MiB at most.
 *
 * @param verify that of `argon2` or `@node-rs/argon2`
 */
export const argon2Hashes = (verify: (hash: string, password: string) => Awaitable<boolean>): HashImporter => ({
  ...requireFunction(verify, 'argon2Hashes(verify)', 'import { verify } from "@node-rs/argon2"'),
  sample: `$argon2id$v=19$m=65536,t=3,p=4$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  reads(hash) {
    const [, m, t, p] = ARGON2.exec(hash)?.map(Number) ?? []
    return isWithin(Number(m), MOST.bytes / 1024) && isWithin(Number(t), MOST.passes) && isWithin(Number(p), MOST.lanes)
  },
  verify: (password, hash) => verify(hash, password),
})

/** Hashes of Better Auth: `salt:key`. */
export const betterAuthHashes = (): HashImporter =>
  keyHashes(`${'0'.repeat(32)}:${'0'.repeat(128)}`, (hash) => {
    const [, salt = '', hex = ''] = /^([\da-f]{32}):([\da-f]{128})$/.exec(hash) ?? []
    const key = Buffer.from(hex, 'hex')
    const cost = { N: 16384, r: 16, p: 1 }
    const derive = (password: string) => scryptKey(normalizedText(password, 'NFKC'), salt, 64, cost)
    return salt === '' ? null : { key, derive }
  })

/** Hashes of Django: `pbkdf2_sha256$iterations$salt$key`, and `scrypt$N$salt$r$p$key`. */
export const djangoHashes = (): HashImporter =>
  keyHashes(`pbkdf2_sha256$1000000$${'0'.repeat(22)}$${'A'.repeat(43)}=`, (hash) => {
    const [, times, salt = '', key = ''] = /^pbkdf2_sha256\$(\d{1,7})\$([^$]{1,128})\$([\w+/]{43}=)$/.exec(hash) ?? []
    if (isWithin(Number(times), MOST.iterations)) {
      const derive = (password: string) => pbkdf2Key(password, salt, Number(times), 32, 'sha256')
      return { key: Buffer.from(key, 'base64'), derive }
    }
    return djangoScrypt(hash)
  })

function djangoScrypt(hash: string): KeyToDerive | null {
  const [, n, salt = '', blocks, lanes, key = ''] =
    /^scrypt\$(\d{1,7})\$([^$]{1,128})\$(\d{1,2})\$(\d{1,2})\$([\w+/]{86}==)$/.exec(hash) ?? []
  const cost = { N: Number(n), r: Number(blocks), p: Number(lanes) }
  const isPossible = cost.N > 1 && Number.isInteger(Math.log2(cost.N)) && cost.N < 2 ** (16 * cost.r)
  if (!isPossible || !isWithin(128 * cost.N * cost.r * cost.p, MOST.bytes)) return null
  return { key: Buffer.from(key, 'base64'), derive: (password) => scryptKey(password, salt, 64, cost) }
}

/** The two parts of `salt:hash`, joined from two columns; null for another text. */
function joinedParts(joined: string, encoding: 'hex' | 'base64', bytes: number) {
  const [, salt = '', text = ''] = /^([\w+/=-]{1,2000}):([\w+/=-]{1,4000})$/.exec(joined) ?? []
  const key = Buffer.from(text, encoding)
  return salt !== '' && key.length === bytes ? { salt, key } : null
}

/** What `passport-local-mongoose` was given as options, if anything. */
export interface PassportLocalMongooseOptions {
  /** 25,000 by default. */
  iterations?: number
  /** Bytes: 512 by default. */
  keylen?: number
  /** `sha256` by default. */
  digestAlgorithm?: string
  /** `hex` by default. */
  encoding?: 'hex' | 'base64'
}

/** Hashes of `passport-local-mongoose`. Join its two fields: `salt:hash`. */
export const passportLocalMongooseHashes = ({
  iterations = 25_000,
  keylen = 512,
  digestAlgorithm = 'sha256',
  encoding = 'hex',
}: PassportLocalMongooseOptions = {}): HashImporter =>
  keyHashes(`${'0'.repeat(64)}:${Buffer.alloc(keylen).toString(encoding)}`, (hash) => {
    const parts = joinedParts(hash, encoding, keylen)
    // Its salt is the text, and not the bytes that the text stands for.
    const derive = (password: string) => pbkdf2Key(password, parts?.salt ?? '', iterations, keylen, digestAlgorithm)
    return parts && { key: parts.key, derive }
  })

/** The parameters of the hashes of a project, as Firebase shows them. The first two are in base64. */
export interface FirebaseHashOptions {
  signerKey: string
  saltSeparator: string
  rounds: number
  memCost: number
}

/** Hashes of Firebase Authentication. Join `salt` and `passwordHash` of an exported user: `salt:passwordHash`. */
export function firebaseHashes({ signerKey, saltSeparator, rounds, memCost }: FirebaseHashOptions): HashImporter {
  const signer = Buffer.from(signerKey, 'base64')
  const separator = Buffer.from(saltSeparator, 'base64')
  const noSalt = Buffer.alloc(10).toString('base64')
  return keyHashes(`${noSalt}:${Buffer.alloc(signer.length).toString('base64')}`, (hash) => {
    const parts = joinedParts(hash, 'base64', signer.length)
    if (parts === null) return null
    const salt = Buffer.concat([Buffer.from(parts.salt, 'base64'), separator])
    async function derive(password: string) {
      const key = await scryptKey(password, salt, 32, { N: 2 ** memCost, r: rounds, p: 1 })
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
      return Buffer.concat([cipher.update(signer), cipher.final()])
    }
    return { key: parts.key, derive }
  })
}
