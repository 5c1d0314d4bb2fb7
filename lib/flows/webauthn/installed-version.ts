import { readFile } from 'node:fs/promises'

/**
 * The version of `@simplewebauthn/server` that is installed; null when it cannot be found, as in an application that was
 * bundled: there, the range of the peer dependency is all that keeps an old version out. This is the only file that the
 * package reads, and it works without.
 */
export async function installedVersion(): Promise<string | null> {
  try {
    const description = new URL('../package.json', import.meta.resolve('@simplewebauthn/server'))
    const { version } = JSON.parse(await readFile(description, 'utf8')) as { version?: unknown }
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
