import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FEATURES = fileURLToPath(new URL('../features', import.meta.url))

/**
 * What features add to a test that goes through all of something: the default exports of the files of this name in
 * `test/features/`.
 */
export async function ofFeatures<Part>(name: string): Promise<readonly Part[]> {
  const files = readdirSync(FEATURES)
    .map((feature) => `${FEATURES}/${feature}/${name}.ts`)
    .filter((file) => existsSync(file))
  const modules = await Promise.all(files.map((file): Promise<{ default: Part }> => import(file)))
  return modules.map((module) => module.default)
}

/** The same, if they add rows to a table. */
export const rowsOfFeatures = async <Row>(name: string): Promise<Readonly<Record<string, Row>>> =>
  Object.assign({}, ...(await ofFeatures<Readonly<Record<string, Row>>>(name)))
