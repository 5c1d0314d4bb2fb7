import type { AdapterUser } from '../../adapters/adapter.js'
import { createPublicIds } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { AuthError, withoutDetails } from '../../kernel/errors.js'
import type { Theme } from '../../pages/theme.js'
import { demandsUnlocking, hasProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import { createStoredWays } from '../../users/ways-in.js'
import { A_MONTH, type SecondFactorOptions } from './options.js'
import { createStoredFactors } from './stored-factors.js'
import { loadTotp } from './totp.js'
import { createTrustedBrowsers } from './trusted-browsers.js'

/** What the second factors of a configuration are made of. */
export type SecondFactors = Awaited<ReturnType<typeof createSecondFactors>>

/** Seconds to add an authenticator app, once its page was opened. */
export const OFFERED_SECONDS = 15 * 60

/** A secret that an app is to show a code of. */
interface OfferedSecret {
  readonly userId: string
  readonly secret: string
  /** Of the second factor whose place it takes; 0 for none. */
  readonly version: number
}

/** @throws {InvalidConfiguration} if a package is not installed */
export async function createSecondFactors(
  { required = false, gracePeriod = 0, trustedFor = A_MONTH, trusts = [], issuer }: SecondFactorOptions,
  parts: Parts<{ readonly theme: Theme; readonly session: { readonly devices: boolean } }>,
) {
  const { store, secrets, now, providers, options } = parts
  const totp = await loadTotp()
  const offers = createValueEncryption(secrets, 'offered-second-factor', now)
  const { passkeysOf, accountOfPasskey } = createStoredWays({ store, providers })
  const offered = async (userId: string, sealed: string): Promise<OfferedSecret | null> => {
    const found = (await offers.decrypt(sealed)) as OfferedSecret | null
    return found?.userId === userId ? found : null
  }
  const mailsLinks = hasProvider(providers, 'email')
  /** Whether every passkey of a provider is two factors. */
  const areTwoFactors = (providerId: string | null): boolean =>
    providers.some(
      (each) =>
        each.id === providerId &&
        each.type === 'webauthn' &&
        demandsUnlocking(each.authenticationOptions['userVerification'], each.verifyAuthenticationOptions),
    )
  return {
    store,
    totp,
    gracePeriod,
    trustedFor,
    trusts,
    /** How authenticator apps call the application; null for its host. */
    issuer: issuer ?? options.theme.name ?? null,
    factors: createStoredFactors(totp, parts),
    /** Ids of users that a mail may show: whoever follows its link may be somebody else. */
    publicIds: createPublicIds(secrets, 'second-factor-of'),
    browsers: createTrustedBrowsers(parts, options.session.devices),
    /**
     * Whether a user must have a second factor. A function that gives nothing may have read a column that is not there.
     *
     * @throws {AuthError} when `required` throws: nobody comes in
     */
    async isRequired(user: AdapterUser): Promise<boolean> {
      if (typeof required === 'boolean') return required
      try {
        return (await required(user)) !== false
      } catch (error) {
        throw new AuthError('secondFactor.required threw.', { err: withoutDetails(error) })
      }
    },
    /** The id of the provider of a passkey with which a user can sign in, of one that is two factors if there is any; null for none. */
    async passkeyOf(userId: string): Promise<string | null> {
      let other: string | null = null
      for (const row of await passkeysOf(userId)) {
        const provider = (await accountOfPasskey(row))?.provider ?? null
        if (areTwoFactors(provider)) return provider
        other ??= provider
      }
      return other
    },
    areTwoFactors,
    /**
     * Whether a user may add a second factor: the owner of an address that nobody has confirmed may come at any moment, and would be
     * asked for the factor of a stranger.
     */
    mayAdd: ({ email, emailVerified }: AdapterUser): boolean => !mailsLinks || !email || Boolean(emailVerified),
    /** The secret that was sealed for this user, whatever has changed since; null for none, and after a quarter of an hour. */
    offered,
    /**
     * A secret for the page on which an app is added: nothing is stored until the app has shown a code.
     *
     * @param known sealed secrets, of which the first is taken that still counts; otherwise a new one is made
     */
    async offer(userId: string, version: number, known: readonly string[]) {
      for (const sealed of known) {
        const found = await offered(userId, sealed)
        if (found?.version === version) return { secret: found.secret, sealed }
      }
      const secret = totp.newSecret()
      const value = { userId, version, secret } satisfies OfferedSecret
      return { secret, sealed: await offers.encrypt(value, OFFERED_SECONDS) }
    },
  }
}
