import { readFileSync } from 'node:fs'
import { rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Folder of the package that is measured: the nearest one above that is called `latchkey`. */
export const packageFolder: string = folderOf('latchkey')

/** Folder with the packages that it is measured against. */
export const benchFolder: string = join(packageFolder, 'bench')

/** File of the built package, given from `dist`: `index.js`. */
export const builtFile = (path: string): string => join(packageFolder, 'dist', path)

/** Loads a module of the built package. It is found at run time, since the compiled benchmark is at another depth than its source. */
export const loadBuilt = <Module>(path: string): Promise<Module> =>
  import(pathToFileURL(builtFile(path)).href) as Promise<Module>

const internals = join(benchFolder, '.built', 'lib')

/**
 * Loads a module that no application can: the published build has joined those. It comes from a compile of its own, without what is in `views/`.
 *
 * @param path as below `lib`, with the ending `.js`
 */
export const loadInternal = <Module>(path: string): Promise<Module> =>
  import(pathToFileURL(join(internals, path)).href) as Promise<Module>

/** Gives internal modules the dependencies of the package: above them lie those of the benchmark, which are others of the same names. */
export async function linkDependencies(): Promise<void> {
  const link = join(internals, 'node_modules')
  await rm(link, { force: true })
  await symlink(join(packageFolder, 'node_modules'), link, 'junction')
}

/** Loads a dependency in the version that the built package has. */
export const loadDependency = <Module>(name: string): Promise<Module> => {
  const file = createRequire(builtFile('index.js')).resolve(name)
  return import(pathToFileURL(file).href) as Promise<Module>
}

function folderOf(name: string): string {
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    if (nameOf(folder) === name) return folder
  }
  throw new Error(`No folder above ${import.meta.dirname} has the package "${name}".`)
}

function nameOf(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown }).name
  } catch {
    return undefined
  }
}
