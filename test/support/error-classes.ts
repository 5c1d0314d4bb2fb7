import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as latchkey from '../../lib/index.js'

type ErrorClass = typeof latchkey.AuthError

const FEATURES = fileURLToPath(new URL('../../lib/features', import.meta.url))

/** The classes of errors that features have of their own. */
export const FEATURE_ERRORS: readonly ErrorClass[] = await classesOfFeatures()

/** Every class of errors, by its type, in the order of the alphabet. */
export const ERROR_CLASSES: ReadonlyMap<string, ErrorClass> = new Map(
  [...Object.values(latchkey).filter(isErrorClass), ...FEATURE_ERRORS]
    .map((Kind) => [Kind.type, Kind] as const)
    .sort(([one], [other]) => one.localeCompare(other)),
)

async function classesOfFeatures(): Promise<ErrorClass[]> {
  const files = readdirSync(FEATURES)
    .map((feature) => `${FEATURES}/${feature}/errors.ts`)
    .filter((file) => existsSync(file))
  const modules = await Promise.all(files.map((file): Promise<object> => import(file)))
  return modules.flatMap((module) => Object.values(module).filter(isErrorClass))
}

function isErrorClass(exported: unknown): exported is ErrorClass {
  if (typeof exported !== 'function') return false
  return exported === latchkey.AuthError || exported.prototype instanceof latchkey.AuthError
}
