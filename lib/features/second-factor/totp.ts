import { loadOnce } from '../../kernel/awaitable.js'
import { InvalidConfiguration, withoutDetails } from '../../kernel/errors.js'
import { NO_PACKAGES } from './options.js'

/** Seconds of one code, and how many of them before and after the present one count (RFC 6238 §5.2, MFA-01). */
const PERIOD = 30
const WINDOW = 1

/** Bytes of a secret: 160 bits, as long as the digest (RFC 4226 §4, R6). */
const SECRET_BYTES = 20

/** What makes and checks the codes of authenticator apps. */
export interface Totp {
  /** A new secret, in base32. */
  newSecret(): string
  /** What an authenticator app reads: the secret, and whose it is. */
  urlOf(secret: string, about: { readonly issuer: string; readonly label: string }): string
  /**
   * The step whose code was entered; null if it is none that counts now.
   *
   * @param now milliseconds since the epoch
   */
  stepOf(secret: string, code: string, now: number): number | null
  /** A QR code as the path of an SVG, one unit a module. */
  qrCode(text: string): QrCode
}

/** A QR code. */
export interface QrCode {
  /** Modules on each side, with the margin. */
  readonly size: number
  /** The dark modules, as an SVG path. */
  readonly path: string
}

/**
 * The libraries for codes of authenticator apps, which are installed beside this package where a second factor is used.
 *
 * @throws {InvalidConfiguration} when they are not
 */
export const loadTotp = loadOnce(async (): Promise<Totp> => {
  // Bundlers take an import within `try` for one that may fail: an application without a second factor need not install them.
  try {
    const { Secret, TOTP } = await import('otpauth')
    const { encode } = await import('uqr')
    const of = (secret: string, about: { issuer?: string; label?: string } = {}) =>
      new TOTP({ ...about, algorithm: 'SHA1', digits: 6, period: PERIOD, secret: Secret.fromBase32(secret) })
    return {
      newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
      urlOf: (secret, about) => of(secret, about).toString(),
      stepOf(secret, token, timestamp) {
        const delta = of(secret).validate({ token, timestamp, window: WINDOW })
        return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD) + delta
      },
      qrCode(text) {
        const { size, data } = encode(text, { ecc: 'M', border: 4 })
        const row = (modules: readonly boolean[], y: number) =>
          modules.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))
        return { size, path: data.flatMap(row).join('') }
      },
    }
  } catch (error) {
    throw new InvalidConfiguration(NO_PACKAGES, { err: withoutDetails(error) })
  }
})
