import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Results } from '../section.js'
import { packageFolder } from '../subject.js'
import { chartsOf } from './charts.js'
import { documentOf } from './markdown.js'

/** The page for readers, seen from the root of the repository. */
export const DOCUMENT = 'docs/performance.md'
/** Where its diagrams are; everything in there is made by {@link writeReport}. */
export const DIAGRAMS = 'docs/performance'

/** All files of the report with their content. The same results always give the same. */
export function renderReport(results: Results): ReadonlyMap<string, string> {
  const charts = chartsOf(results).map(({ file, svg }) => [`${DIAGRAMS}/${file}`, svg] as const)
  return new Map([[DOCUMENT, documentOf(results)], ...charts])
}

/** Writes the report in place of the one of before, without the diagrams that are no more. */
export async function writeReport(results: Results, folder: string = packageFolder): Promise<void> {
  await rm(join(folder, DIAGRAMS), { recursive: true, force: true })
  for (const [path, content] of renderReport(results)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

/** The names of the diagrams that lie there now. */
export const diagramsIn = (folder: string = packageFolder): Promise<string[]> => readdir(join(folder, DIAGRAMS))
