import { createValueEncryption } from '../crypto/encrypted-values.js'

/** A sign-in that was refused because another user has the address. */
export interface RefusedSignIn {
  /** Id of the provider whose account was refused. */
  readonly provider: string
  /** The address that this provider gave. */
  readonly email: string
  /** Whether the visitor has proved that the address is theirs. */
  readonly isProven: boolean
  /** Whether that user has an account at this provider, with another id. */
  readonly hasOtherId: boolean
  /** Ids of the providers with which the user who has the address signs in; null where they must not, or cannot, be named. */
  readonly ways: readonly string[] | null
  /** Where the visitor wanted to go; null when it is too long for a URL. */
  readonly returnTarget: string | null
  /** Digest of a cookie of the browser that was refused; null if it sent none. */
  readonly browser: string | null
}

/** Takes refused sign-ins to the sign-in page, in its URL. */
export interface RefusedSignIns {
  /** A text that is safe in a query. It is accepted for ten minutes. */
  make(refused: RefusedSignIn): Promise<string>
  /** Null if it was not made here, has expired, or is damaged. */
  read(text: string): Promise<RefusedSignIn | null>
}

const LIFETIME_SECONDS = 10 * 60

/**
 * Refused sign-ins are encrypted, because they name a person and how the person signs in.
 *
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 */
export function createRefusedSignIns(secrets: readonly string[], now: () => number): RefusedSignIns {
  const encryption = createValueEncryption(secrets, 'refused-sign-in', now)
  return {
    make: ({ provider, email, isProven, hasOtherId, ways, returnTarget, browser }) =>
      encryption.encrypt({ provider, email, isProven, hasOtherId, ways, returnTarget, browser }, LIFETIME_SECONDS),
    async read(text) {
      // Nobody else can make such a value, so it has the members that it was made with.
      return (await encryption.decrypt(text)) as RefusedSignIn | null
    },
  }
}
