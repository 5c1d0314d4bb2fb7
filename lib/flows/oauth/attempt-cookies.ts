import { equalInConstantTime, sha256Base64url } from '../../crypto/digest.js'
import { createValueEncryption, type ValueEncryption } from '../../crypto/encrypted-values.js'
import { InvalidCheck, SignInExpired } from '../../errors.js'
import {
  CHECK_LIFETIME_SECONDS,
  type CookieChange,
  type CookieSpec,
  type CookieSpecs,
  clearCookie,
  type RequestCookies,
  setCookie,
  suffixed,
  suffixesOf,
} from '../../http/cookies.js'
import { oldestFirst } from '../../http/oldest-first.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { inMinutes, tellOutOfTime } from '../out-of-time.js'
import { NoOpenAttempt } from './faults.js'

/** The values that bind an answer to the browser and the attempt that asked. */
export type CheckName = 'state' | 'pkce' | 'nonce'

/** One sign-in on its way through a provider. */
export interface Attempt {
  /** The one-time value of each check that is on. */
  readonly values: Readonly<Partial<Record<CheckName, string>>>
  readonly redirectUri: string
  /** The issuer it was begun with; null for plain OAuth without one. */
  readonly issuer: string | null
  /** Seconds; set when `max_age` was asked for. */
  readonly maxAge: number | undefined
  /** Where the visitor goes once signed in; undefined when it is too long to be kept. */
  readonly callbackUrl: string | undefined
  /** Mark of whoever was signed in when it began; null for nobody. */
  readonly initiator: string | null
}

/** An attempt read back: which it is, and what was kept of it. */
export interface FoundAttempt extends Attempt {
  /** Identifies the attempt for ever; not secret. */
  readonly id: string
}

/** Cookies and the provider they belong to. */
export interface AttemptJar {
  readonly provider: ResolvedOAuthProvider
  readonly specs: CookieSpecs
  readonly cookies: RequestCookies
}

/** Keeps the one-time values of sign-ins in sealed cookies of the browser, one set per attempt. */
export interface AttemptCookies {
  /** Cookies for a new attempt. The oldest attempts are deleted when more than five are open, or when their cookies are too many bytes. */
  open(jar: AttemptJar, state: string, attempt: Attempt): Promise<readonly CookieChange[]>
  /**
   * The attempt that an answer with this state belongs to.
   *
   * @param state null when the answer has none; it is refused then, whatever the checks are
   * @throws {NoOpenAttempt} when there is nothing of it; {@link SignInExpired} when its time is over or to come; {@link InvalidCheck} when a value
   * is missing, damaged, or of another provider or attempt
   */
  find(jar: AttemptJar, state: string | null): Promise<FoundAttempt>
  /** Deletes what the browser has of an attempt, unless it was made with a secret that is not known here. */
  clear(jar: AttemptJar, id: string): readonly CookieChange[]
}

const MAX_OPEN_ATTEMPTS = 5
/**
 * Bytes that the cookies of all attempts may have together. Servers and proxies refuse a Cookie header over 8 KB altogether, so
 * a few abandoned sign-ins would lock the visitor out of the whole site.
 */
const MAX_OPEN_BYTES = 6000
/** Of a 256-bit digest; as good as random, and half as long. */
const ATTEMPT_ID_LENGTH = 22
const SUFFIX_LENGTH = 8
/** Keeps the cookie within the 4096 bytes that browsers take; a longer target is in the callback-url cookie alone. */
const MAX_CALLBACK_URL_LENGTH = 1024
const CHECKS = ['state', 'pkce', 'nonce'] as const satisfies readonly CheckName[]
const KEYS = { state: 'state', pkce: 'pkceCodeVerifier', nonce: 'nonce' } as const

/** What one cookie holds. The names are short because browsers and proxies limit the sum of all cookies. */
interface Sealed {
  /** The one-time value. */
  readonly v: string
  /** Provider. */
  readonly p: string
  /** Id of the attempt. */
  readonly a: string
  /** Begun at, in seconds since the epoch. */
  readonly t: number
  /** What is kept once per attempt, in its first cookie. */
  readonly m?: {
    /** Checks. */
    readonly c: readonly CheckName[]
    /** Redirect URI. */
    readonly r: string
    /** Issuer. */
    readonly i: string | null
    /** Maximum age. */
    readonly x?: number
    /** Callback URL. */
    readonly u?: string
    /** Begun by. */
    readonly b?: string
  }
}

/** The id of the attempt that a state belongs to. */
export const attemptId = (state: string): string => sha256Base64url(state).slice(0, ATTEMPT_ID_LENGTH)

/** Attempts kept in cookies that only a holder of one of the secrets can make or read. */
export function createAttemptCookies(secrets: readonly string[], now: () => number): AttemptCookies {
  const encryptions: Record<CheckName, ValueEncryption> = {
    state: createValueEncryption(secrets, 'state', now),
    pkce: createValueEncryption(secrets, 'pkce', now),
    nonce: createValueEncryption(secrets, 'nonce', now),
  }
  const read = async (jar: AttemptJar, check: CheckName, suffix: string): Promise<Sealed | null | undefined> => {
    const value = jar.cookies.get(specOf(jar, check, suffix).name)
    return value === undefined ? undefined : ((await encryptions[check].decrypt(value)) as Sealed | null)
  }
  const readAll = async (jar: AttemptJar, suffix: string) =>
    Object.fromEntries(
      await Promise.all(CHECKS.map(async (check) => [check, await read(jar, check, suffix)] as const)),
    ) as Record<CheckName, Sealed | null | undefined>

  /** Whether a cookie of an attempt may have been made with a secret that is not known here. */
  const isOfOtherKey = (jar: AttemptJar, suffix: string) =>
    CHECKS.some((check) => encryptions[check].mayBeOfOtherKey(jar.cookies.get(specOf(jar, check, suffix).name) ?? ''))

  /** The oldest attempts, as many as must go to make room for one of this size. */
  const surplus = async (jar: AttemptJar, newBytes: number): Promise<string[]> => {
    const open = openSuffixes(jar)
    const bytes = open.map((suffix) => sizeOf(jar, suffix)).reduce((sum, size) => sum + size, newBytes)
    if (open.length < MAX_OPEN_ATTEMPTS && bytes <= MAX_OPEN_BYTES) return []
    const dated = await Promise.all(
      open.map(async (suffix) => {
        const all = await readAll(jar, suffix)
        const times = CHECKS.flatMap((check) => all[check]?.t ?? [])
        const isUndated = times.length === 0 && isOfOtherKey(jar, suffix)
        return { suffix, begun: isUndated ? null : Math.max(0, ...times) }
      }),
    )
    const gone: string[] = []
    let left = bytes
    for (const { suffix } of oldestFirst(dated)) {
      if (open.length - gone.length < MAX_OPEN_ATTEMPTS && left <= MAX_OPEN_BYTES) break
      gone.push(suffix)
      left -= sizeOf(jar, suffix)
    }
    return gone
  }
  /** The error for an attempt with a cookie that does not open, or is another one's. */
  const whyNot = async (jar: AttemptJar, suffix: string): Promise<InvalidCheck> => {
    const { id } = jar.provider
    for (const check of CHECKS) {
      const opened = await encryptions[check].decryptInTime(jar.cookies.get(specOf(jar, check, suffix).name) ?? '')
      if (opened && 'outOfTime' in opened) {
        const why = tellOutOfTime(opened.outOfTime, CHECK_LIFETIME_SECONDS)
        const isFault = opened.outOfTime.state === 'not-yet'
        return new SignInExpired(`Provider "${id}": the sign-in ${why}. Start again.`, { isFault })
      }
    }
    const why = isOfOtherKey(jar, suffix)
      ? 'was made with a secret that this process does not have'
      : 'is damaged, or is of another sign-in'
    return new InvalidCheck(`Provider "${id}": a one-time cookie ${why}. Start again.`)
  }
  const clearSuffix = (jar: AttemptJar, suffix: string) =>
    CHECKS.map((check) => specOf(jar, check, suffix))
      .filter(({ name }) => jar.cookies.has(name))
      .map(clearCookie)

  return {
    async open(jar, state, { values, redirectUri, issuer, maxAge, callbackUrl, initiator }) {
      const id = attemptId(state)
      const used = CHECKS.filter((check) => values[check] !== undefined)
      const kept = {
        c: used,
        r: redirectUri,
        i: issuer,
        ...(maxAge === undefined ? {} : { x: maxAge }),
        ...(callbackUrl === undefined || callbackUrl.length > MAX_CALLBACK_URL_LENGTH ? {} : { u: callbackUrl }),
        ...(initiator === null ? {} : { b: initiator }),
      }
      const base = { p: jar.provider.id, a: id, t: Math.floor(now() / 1000) }
      const set = used.map(async (check, index) => {
        const content = { v: values[check] ?? '', ...base, ...(index === 0 ? { m: kept } : {}) } satisfies Sealed
        const sealed = await encryptions[check].encrypt(content, CHECK_LIFETIME_SECONDS)
        return setCookie(specOf(jar, check, id.slice(0, SUFFIX_LENGTH)), sealed)
      })
      const made = await Promise.all(set)
      const bytes = made.reduce((sum, { name, value }) => sum + cookieSize(name, value), 0)
      const deleted = (await surplus(jar, bytes)).flatMap((suffix) => clearSuffix(jar, suffix))
      return [...deleted, ...made]
    },

    async find(jar, state) {
      const { provider } = jar
      if (state === null) {
        throw new InvalidCheck(
          `Provider "${provider.id}": the answer has no state. It is always sent, and RFC 6749 §4.1.2 obliges providers to give it back.`,
        )
      }
      const id = attemptId(state)
      const found = await readAll(jar, id.slice(0, SUFFIX_LENGTH))
      const own = CHECKS.map((check) => found[check]).filter((sealed) => sealed !== undefined)
      if (own.length === 0) {
        throw new NoOpenAttempt(
          `Provider "${provider.id}": no sign-in of this browser is open that the answer belongs to. It was finished, was ended when somebody signed in or out, took longer than ${inMinutes(CHECK_LIFETIME_SECONDS)}, began in another browser, or its cookies are blocked. Start again.`,
        )
      }
      for (const sealed of own) {
        if (sealed === null || sealed.p !== provider.id || !equalInConstantTime(sealed.a, id)) {
          throw await whyNot(jar, id.slice(0, SUFFIX_LENGTH))
        }
      }
      const kept = own.find((sealed) => sealed?.m)?.m
      const values = Object.fromEntries(CHECKS.flatMap((check) => (found[check] ? [[check, found[check].v]] : [])))
      const demanded = new Set([...(kept?.c ?? []), ...provider.checks])
      if (!kept || [...demanded].some((check) => values[check] === undefined)) {
        throw new InvalidCheck(`Provider "${provider.id}": a one-time cookie of this sign-in is missing. Start again.`)
      }
      if (values['state'] !== undefined && !equalInConstantTime(values['state'], state)) {
        throw new InvalidCheck(`Provider "${provider.id}": the state of the answer is not the one that was sent.`)
      }
      return {
        id,
        values,
        redirectUri: kept.r,
        issuer: kept.i,
        maxAge: kept.x,
        callbackUrl: kept.u,
        initiator: kept.b ?? null,
      }
    },

    clear(jar, id) {
      const suffix = id.slice(0, SUFFIX_LENGTH)
      return isOfOtherKey(jar, suffix) ? [] : clearSuffix(jar, suffix)
    },
  }
}

/** Suffixes of all attempts that the browser has cookies of, whichever provider's. */
function openSuffixes({ specs, cookies }: AttemptJar): string[] {
  const suffixes = new Set<string>()
  for (const check of CHECKS) {
    for (const suffix of suffixesOf(cookies, specs[KEYS[check]], /^[\w-]{8}$/)) suffixes.add(suffix)
  }
  return [...suffixes]
}

/** Bytes of an attempt's cookies in the Cookie header. */
const sizeOf = (jar: AttemptJar, suffix: string): number =>
  CHECKS.reduce((sum, check) => {
    const { name } = specOf(jar, check, suffix)
    const value = jar.cookies.get(name)
    return value === undefined ? sum : sum + cookieSize(name, value)
  }, 0)

const cookieSize = (name: string, value: string): number => name.length + value.length + '=; '.length

function specOf({ specs, provider }: AttemptJar, check: CheckName, suffix: string): CookieSpec {
  const { name, attributes } = suffixed(specs[KEYS[check]], suffix)
  if (provider.responseMode !== 'form_post') return { name, attributes }
  // The answer is a POST from the provider's site; Lax cookies do not travel with it, and None ones must be Secure.
  return { name, attributes: { ...attributes, sameSite: 'none', secure: true } }
}
