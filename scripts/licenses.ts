import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The file in `dist/` with the licenses of the packages of which code is there. */
export const LICENSES = 'THIRD-PARTY-LICENSES.txt'

const RULE = `\n${'-'.repeat(80)}\n\n`

/**
 * Writes the licenses of packages of which code is in `dist/`.
 *
 * @param names the packages, as they are in `node_modules`
 * @throws {Error} when a package has no license
 */
export async function writeLicenses(dist: string, names: readonly string[]): Promise<void> {
  const texts = await Promise.all(names.map(licenseOf))
  await writeFile(path.join(dist, LICENSES), `The package contains code of these packages.\n\n${texts.join(RULE)}`)
}

async function licenseOf(name: string): Promise<string> {
  const folder = new URL(`../node_modules/${name}/`, import.meta.url)
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each))
  if (file === undefined) throw new Error(`${name} has no license.`)
  return `${name}\n\n${(await readFile(new URL(file, folder), 'utf8')).trim()}\n`
}
