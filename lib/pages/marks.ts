import { readFile } from 'node:fs/promises'
import { packageFile } from './package-file.js'

/** The logos of providers by provider id, each as SVG path data for a box of 24 by 24. */
export type ProviderMarks = Readonly<Record<string, string>>

let loaded: Promise<ProviderMarks> | undefined

/** The marks of `views/marks.json`, read at the first call and kept for the process, as the templates are. */
export function loadMarks(): Promise<ProviderMarks> {
  loaded ??= read().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

async function read(): Promise<ProviderMarks> {
  const { marks } = JSON.parse(await readFile(packageFile('views/marks.json'), 'utf8')) as { marks: ProviderMarks }
  return marks
}
