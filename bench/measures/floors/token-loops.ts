import { createCipheriv, createDecipheriv, createHash, hkdf, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type * as Jose from 'jose'
import type * as Keys from '../../../dist/crypto/keys.js'
import type * as RecentCache from '../../../dist/crypto/recent-cache.js'
import type * as SessionToken from '../../../dist/crypto/session-jwt.js'
import type { Loop } from '../../loop/hot-loop.js'
import { createMint, emailOf, SECRET, SESSION_COOKIE } from '../../loop/tokens.js'
import { loadDependency, loadInternal } from '../../subject.js'
import { openPlain } from './open-plain.js'

/** Tokens that take turns, so that no step works on the same bytes again. */
const COUNT = 512

/** Opening session tokens, and what else is done with keys and digests. */
export async function tokenLoops(): Promise<Loop[]> {
  const mint = await createMint(SECRET)
  const { deriveKey } = await loadInternal<typeof Keys>('crypto/keys.js')
  const { jwtDecrypt } = await loadDependency<typeof Jose>('jose')
  const { createSessionJwtCodec } = await loadInternal<typeof SessionToken>('crypto/session-jwt.js')
  const { createRecentCache } = await loadInternal<typeof RecentCache>('crypto/recent-cache.js')

  const tokens = Array.from({ length: COUNT }, (_, user) => mint(user))
  const tokenAt = (index: number) => tokens[index % COUNT] ?? ''
  const { bytes } = deriveKey(SECRET, SESSION_COOKIE, 'A256CBC-HS512')
  const neverSeen = createSessionJwtCodec([SECRET], SESSION_COOKIE, Date.now, 0)
  const seenBefore = createSessionJwtCodec([SECRET], SESSION_COOKIE, Date.now)
  const cache = createRecentCache<string, number>(10_000)
  const map = new Map<string, number>()
  tokens.forEach((token, user) => {
    cache.set(token, user)
    map.set(token, user)
    for (const codec of [neverSeen, seenBefore]) requireUser(codec.decode(token), user)
  })
  requireUser((await jwtDecrypt(tokenAt(7), bytes)).payload, 7)
  requireUser(openPlain(bytes, tokenAt(8)), 8)

  const opaque = Array.from({ length: COUNT }, () => randomBytes(32).toString('hex'))
  const salt = `Auth.js Generated Encryption Key (${SESSION_COOKIE})`
  const hkdfAsync = promisify(hkdf)
  return [
    { name: 'A256CBC-HS512 opened by jose, key kept', run: (index) => jwtDecrypt(tokenAt(index), bytes), waits: true },
    { name: 'A256CBC-HS512 opened by Latchkey, cache off', run: (index) => neverSeen.decode(tokenAt(index)) },
    { name: 'A256CBC-HS512 opened with node:crypto, no checks', run: (index) => openPlain(bytes, tokenAt(index)) },
    { name: 'A256GCM opened with node:crypto', run: openGcm() },
    { name: 'token opened by Latchkey, seen before', run: (index) => seenBefore.decode(tokenAt(index)) },
    { name: 'token cache, hit', run: (index) => cache.get(tokenAt(index)) },
    { name: 'Map, hit', run: (index) => map.get(tokenAt(index)) },
    { name: 'SHA-256 of a session token', run: (index) => sha256(opaque[index % COUNT] ?? '') },
    { name: 'HKDF', run: () => hkdfSync('sha256', SECRET, SESSION_COOKIE, salt, 64) },
    { name: 'HKDF, asynchronous', run: () => hkdfAsync('sha256', SECRET, SESSION_COOKIE, salt, 64), waits: true },
  ]
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The other content encryption that Latchkey reads: one pass over the bytes in place of two. */
function openGcm(): Loop['run'] {
  const key = randomBytes(32)
  const sealed = Array.from({ length: COUNT }, (_, user) => {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    const text = JSON.stringify({
      name: `User ${user}`,
      email: emailOf(user),
      sub: `${user}`.padStart(36, '0'),
      exp: 0,
    })
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url')).join('.')
  })
  return (index) => {
    const parts = (sealed[index % COUNT] ?? '').split('.')
    const [iv, ciphertext, tag] = parts.map((part) => Buffer.from(part, 'base64url'))
    if (!iv || !ciphertext || !tag) throw new Error('not a token')
    const decipher = createDecipheriv('aes-256-gcm', key, iv)
    decipher.setAuthTag(tag)
    return JSON.parse(decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8'))
  }
}

/** A loop over tokens that do not open would be a fast one. */
function requireUser(opened: unknown, user: number): void {
  const { claims, email = (claims as { email?: unknown })?.email } = (opened ?? {}) as {
    claims?: unknown
    email?: unknown
  }
  if (email !== emailOf(user)) throw new Error(`The token of ${emailOf(user)} opened as that of ${String(email)}.`)
}
