import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { loadOnce } from '../../kernel/awaitable.js'
import { InvalidConfiguration, withoutDetails } from '../../kernel/errors.js'
import { descriptionsOf } from '../../kernel/packages.js'
import type { ResolvedWebAuthnProvider, SimpleWebAuthn } from '../../providers/provider.js'

type Library = typeof import('@simplewebauthn/server')

/** The oldest accepted version: older ones accept attestations that prove nothing (GHSA-6hxq-p678-4hr2). */
export const OLDEST_VERSION = '13.3.2'

const INSTALL = 'npm install @simplewebauthn/server'

/**
 * `@simplewebauthn/server`, which is installed beside this package where passkeys are used. After it was installed, the process
 * need not be started again.
 *
 * @throws {InvalidConfiguration} when it is not, or is too old
 */
export const loadLibrary = loadOnce(async (): Promise<Library> => {
  const version = await installedVersion('@simplewebauthn/server')
  if (version !== null && isTooOld(version)) {
    throw new InvalidConfiguration(
      `Passkeys need @simplewebauthn/server ${OLDEST_VERSION} or later, and ${version} is installed. Update it: ${INSTALL}`,
    )
  }
  // Bundlers take an import within `try` for one that may fail: an application without passkeys need not install it.
  try {
    return await import('@simplewebauthn/server')
  } catch (error) {
    throw new InvalidConfiguration(
      `Passkeys need the package @simplewebauthn/server, and it could not be loaded. Install it: ${INSTALL}`,
      { err: withoutDetails(error) },
    )
  }
})

/** Whether a version comes before {@link OLDEST_VERSION}; one in another form than `1.2.3` does not. */
export function isTooOld(version: string): boolean {
  const [given, oldest] = [version, OLDEST_VERSION].map((text) => text.split(/[.-]/).slice(0, 3).map(Number))
  for (const [index, least] of (oldest ?? []).entries()) {
    const number = given?.[index] ?? Number.NaN
    if (number !== least) return number < least
  }
  return false
}

/** The functions that the provider's configuration has, else those of the installed library. */
export async function functionsOf({ simpleWebAuthn }: ResolvedWebAuthnProvider): Promise<SimpleWebAuthn> {
  return simpleWebAuthn ?? (await loadLibrary())
}

/**
 * The version of an installed package; null when it cannot be found, as in an application that was bundled: there, the
 * range of the peer dependency is all that keeps an old version out. This is the only file that Latchkey reads, and it
 * works without.
 *
 * @param name the package. It is a parameter because webpack stops at a name that it cannot resolve
 */
async function installedVersion(name: string): Promise<string | null> {
  try {
    const description = descriptionsOf(name).find(existsSync)
    if (description === undefined) return null
    const { version } = JSON.parse(await readFile(description, 'utf8')) as { version?: unknown }
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
