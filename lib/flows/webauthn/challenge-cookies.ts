import { equalInConstantTime, sha256Base64url } from '../../crypto/digest.js'
import { createValueEncryption } from '../../crypto/encrypted-values.js'
import { sharedLedger } from '../../crypto/one-time.js'
import { AuthError } from '../../errors.js'
import { type CookieChange, clearCookie, setCookie, suffixed, suffixesOf } from '../../http/cookies.js'
import { oldestFirst } from '../../http/oldest-first.js'
import type { User } from '../../providers/provider.js'
import type { FlowRequest } from '../flow.js'
import { inMinutes, tellOutOfTime } from '../out-of-time.js'
import { NoOpenCeremony, WebAuthnVerificationError } from './errors.js'

/** What a browser is asked to do with a passkey: to make one, or to prove that it has one. */
export type Ceremony = 'register' | 'authenticate'

/** A ceremony that was begun, and what it must end with. */
export interface Challenge {
  /** Random, base64url. */
  readonly challenge: string
  readonly ceremony: Ceremony
  /** Id of the user who adds a passkey; null for somebody who signs up, and for a proof. */
  readonly userId: string | null
  /** Mark of the user whose passkey must answer a proof; null when anybody's may. */
  readonly owner: string | null
  /** Whether the person must be verified. It is decided when the ceremony begins, never by the answer. */
  readonly userVerification: boolean
  /** Marks of the passkeys that may answer; empty when any may. */
  readonly allowed: readonly string[]
  /** Of a registration. */
  readonly registration?: {
    /** Who signs up; null when somebody who is signed in adds a passkey. */
    readonly user: User | null
    /** What the authenticator will know the user by, base64. */
    readonly userHandle: string
    /** COSE numbers of the signatures that were offered. */
    readonly algorithms: readonly number[]
  }
}

/** What a request brings. */
type Jar = Pick<FlowRequest, 'cookies' | 'specs'>

/** Keeps ceremonies in sealed cookies of the browser, one each, so that two tabs do not disturb each other. */
export interface ChallengeCookies {
  /** The cookie of a new ceremony. Of more than five that are open, the oldest are deleted. */
  open(jar: Jar, challenge: Challenge): Promise<readonly CookieChange[]>
  /**
   * The ceremony that an answer with this challenge ends. It can be taken once, whatever becomes of it then.
   *
   * @throws {NoOpenCeremony} when this browser has none; {@link WebAuthnVerificationError} when it is over, used up, or of another kind or provider
   */
  take(jar: Jar, challenge: string, ceremony: Ceremony): Promise<Challenge>
  /** Deletes the cookie of a ceremony; of all, when it cannot be told which. Those that were made with a secret that is not known here are left alone. */
  clear(jar: Jar, challenge: string | null): readonly CookieChange[]
}

/** WEBAUTHN-01. */
const LIFETIME_SECONDS = 10 * 60
const MAX_OPEN = 5
const SUFFIX_LENGTH = 8
/** Browsers drop a cookie of more than 4096 bytes, its name and attributes included. */
const MAX_COOKIE_LENGTH = 3800

/** What one cookie holds. The names are short because browsers and proxies limit the sum of all cookies. */
interface Sealed {
  /** Challenge. */
  readonly c: string
  /** Kind of ceremony. */
  readonly k: Ceremony
  /** Provider. */
  readonly p: string
  /** Begun at, in milliseconds since the epoch. */
  readonly t: number
  /** User id. */
  readonly u: string | null
  /** Owner. */
  readonly o: string | null
  /** User verification. */
  readonly v: boolean
  /** Marks of the allowed passkeys. */
  readonly a: readonly string[]
  /** Registration: user, handle, algorithms. */
  readonly r?: readonly [User | null, string, readonly number[]]
}

/**
 * The mark of a passkey or a user in a cookie: enough of a digest to tell it from others, in little space. All marks are of one length, so that of the
 * cookie tells nothing (WEBAUTHN-21).
 */
export const markOf = (id: string): string => sha256Base64url(id).slice(0, 11)

/** The ceremonies of one provider. */
export function createChallengeCookies(
  provider: string,
  secrets: readonly string[],
  now: () => number,
): ChallengeCookies {
  const encryption = createValueEncryption(secrets, 'webauthn-challenge', now)
  const used = sharedLedger(secrets, 'passkey challenge', now)
  const specOf = ({ specs }: Jar, challenge: string) =>
    suffixed(specs.webauthnChallenge, sha256Base64url(challenge).slice(0, SUFFIX_LENGTH))
  const read = async ({ cookies }: Jar, name: string) => {
    const value = cookies.get(name)
    return value === undefined ? null : ((await encryption.decrypt(value)) as Sealed | null)
  }

  const isOfOtherKey = ({ cookies }: Jar, name: string) => encryption.mayBeOfOtherKey(cookies.get(name) ?? '')

  /** The ceremonies beyond the four youngest, which the new one joins. */
  const surplus = async (jar: Jar): Promise<CookieChange[]> => {
    const names = openNames(jar)
    if (names.length < MAX_OPEN) return []
    const dated = await Promise.all(
      names.map(async (name) => ({ name, begun: (await read(jar, name))?.t ?? (isOfOtherKey(jar, name) ? null : 0) })),
    )
    return oldestFirst(dated)
      .slice(0, names.length - MAX_OPEN + 1)
      .map(({ name }) => clearCookie({ ...jar.specs.webauthnChallenge, name }))
  }

  return {
    async open(jar, { challenge, ceremony, userId, owner, userVerification, allowed, registration }) {
      const content: Sealed = {
        c: challenge,
        k: ceremony,
        p: provider,
        t: now(),
        u: userId,
        o: owner,
        v: userVerification,
        a: allowed,
        ...(registration && { r: [registration.user, registration.userHandle, registration.algorithms] }),
      }
      const sealed = await encryption.encrypt(content, LIFETIME_SECONDS)
      if (sealed.length > MAX_COOKIE_LENGTH) {
        throw new AuthError(`Provider "${provider}": getUserInfo() gave more of a user than a cookie can hold.`)
      }
      return [...(await surplus(jar)), setCookie(specOf(jar, challenge), sealed, { maxAge: LIFETIME_SECONDS })]
    },

    async take(jar, challenge, ceremony) {
      const refused = (why: string) => new WebAuthnVerificationError(`Provider "${provider}": the ceremony ${why}.`)
      const opened = await encryption.decryptInTime(jar.cookies.get(specOf(jar, challenge).name) ?? '')
      if (opened && 'outOfTime' in opened) throw refused(tellOutOfTime(opened.outOfTime, LIFETIME_SECONDS))
      const sealed = (opened?.value ?? null) as Sealed | null
      if (!sealed) {
        if (isOfOtherKey(jar, specOf(jar, challenge).name)) {
          throw new NoOpenCeremony(
            `Provider "${provider}": the ceremony's cookie was made with a secret that this process does not have.`,
          )
        }
        throw new NoOpenCeremony(
          `Provider "${provider}": the ceremony was not begun in this browser, has ended, or its cookie was lost or damaged.`,
        )
      }
      if (!equalInConstantTime(sealed.c, challenge)) throw refused('is another than that of its cookie')
      const expiresAt = sealed.t + LIFETIME_SECONDS * 1000
      // Before anything is verified: whoever answers wrongly begins again.
      const isFirst = used.consume(challenge, expiresAt)
      if (!isFirst) throw refused('was answered already')
      if (expiresAt <= now()) throw refused(`took longer than ${inMinutes(LIFETIME_SECONDS)}`)
      if (sealed.p !== provider || sealed.k !== ceremony) throw refused('is of another kind or provider')
      const [user, userHandle, algorithms] = sealed.r ?? []
      return {
        challenge,
        ceremony,
        userId: sealed.u,
        owner: sealed.o,
        userVerification: sealed.v,
        allowed: sealed.a,
        ...(userHandle !== undefined &&
          algorithms !== undefined && { registration: { user: user ?? null, userHandle, algorithms } }),
      }
    },

    clear(jar, challenge) {
      const names = challenge === null ? openNames(jar) : [specOf(jar, challenge).name]
      return names
        .filter((name) => jar.cookies.has(name) && !isOfOtherKey(jar, name))
        .map((name) => clearCookie({ ...jar.specs.webauthnChallenge, name }))
    },
  }
}

function openNames({ cookies, specs }: Jar): string[] {
  const { webauthnChallenge } = specs
  return suffixesOf(cookies, webauthnChallenge, /^[\w-]{8}$/).map((suffix) => suffixed(webauthnChallenge, suffix).name)
}
