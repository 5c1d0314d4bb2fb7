import { InvalidConfiguration, withoutDetails } from '../../errors.js'
import type { ResolvedWebAuthnProvider, SimpleWebAuthn } from '../../providers/provider.js'

type Library = typeof import('@simplewebauthn/server')

/**
 * `@simplewebauthn/server`, which is installed beside this package where passkeys are used.
 *
 * @throws {InvalidConfiguration} when it is not
 */
export async function loadLibrary(): Promise<Library> {
  try {
    return await import('@simplewebauthn/server')
  } catch (error) {
    throw new InvalidConfiguration(
      'Passkeys need the package @simplewebauthn/server, and it could not be loaded. Install it: npm install @simplewebauthn/server @simplewebauthn/browser',
      { err: withoutDetails(error) },
    )
  }
}

/** The functions that a provider brings, else those of the installed library. */
export async function functionsOf({ simpleWebAuthn }: ResolvedWebAuthnProvider): Promise<SimpleWebAuthn> {
  return simpleWebAuthn ?? (await loadLibrary())
}
