import { readFile } from 'node:fs/promises'

/**
 * The version of an installed package; null when it cannot be found, as in an application that was bundled: there, the
 * range of the peer dependency is all that keeps an old version out. This is the only file that Latchkey reads, and it
 * works without.
 *
 * @param name the package. It is a parameter because webpack stops at a name that it cannot resolve
 */
export async function installedVersion(name: string): Promise<string | null> {
  try {
    const description = new URL('../package.json', import.meta.resolve(name))
    const { version } = JSON.parse(await readFile(description, 'utf8')) as { version?: unknown }
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
