import type { AdapterUser } from '../../adapters/adapter.js'
import type { Awaitable } from '../../kernel/awaitable.js'
import { object } from '../../kernel/object-shape.js'
import { call, either, flag, listOf, seconds, text } from '../../kernel/shape.js'

/** A second factor beside the way in which people sign in. */
export interface SecondFactorOptions {
  /**
   * Who must have one: everybody with `true`, or whom a function answers with anything but `false`. Nobody by default: then people
   * may add one. Whoever must and has none adds it when they sign in next, before they are in.
   */
  required?: boolean | ((user: AdapterUser) => Awaitable<boolean>)
  /** Seconds from the first sign-in that asks for it, in which people who must have a second factor may still do without; 0 by default. */
  gracePeriod?: number
  /**
   * Seconds for which a browser is not asked again, if the person wants that; 2592000, 30 days, by default, and at most a year. With 0
   * it is not offered. What needs a recent sign-in asks all the same.
   */
  trustedFor?: number
  /**
   * Ids of OpenID Connect providers that ask for a second factor themselves: if one says in `amr` that it did (`mfa`, RFC 8176 §2),
   * Latchkey does not ask again. None by default.
   */
  trusts?: readonly string[]
  /** How the application is called in authenticator apps; `theme.name`, or the host, by default. */
  issuer?: string
}

export const secondFactorShape = either(
  flag,
  object<SecondFactorOptions>({
    required: { ...either(flag, call), isLimit: true },
    gracePeriod: seconds(0, { most: 365 * 24 * 60 * 60 }),
    trustedFor: seconds(0, { most: 365 * 24 * 60 * 60 }),
    trusts: listOf(text, 'ids of providers'),
    issuer: text,
  }),
)

export const A_MONTH = 30 * 24 * 60 * 60

/** For the codes of apps, and for the QR code. */
export const PACKAGES = ['otpauth', 'uqr'] as const

export const NO_PACKAGES = `A second factor needs the packages otpauth and uqr. Install them: npm install ${PACKAGES.join(' ')}`
