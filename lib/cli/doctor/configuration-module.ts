import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuthConfig } from '../../config/options.js'
import { within } from '../../kernel/awaitable.js'
import { nearestName } from '../../kernel/nearest-name.js'
import { CATALOGUE_NAMES } from '../../providers/check-provider.js'

/** Where applications usually keep their configuration. */
const USUAL_FOLDERS = ['', 'src/', 'lib/', 'server/', 'app/']
const USUAL_NAMES = ['auth', 'auth.config', 'config/auth']
const EXTENSIONS = ['ts', 'mts', 'js', 'mjs', 'cjs', 'cts']
const USUAL_EXPORTS = ['config', 'authConfig', 'auth', 'default']

/** A module may wait for something that never comes, such as a database. */
const LOADING_SECONDS = 20

/** Why the configuration could not be read, and what to do. */
export class UnreadableModule extends Error {
  readonly cure: string

  constructor(message: string, cure: string) {
    super(message)
    this.cure = cure
  }
}

/** A configuration, and where it was found. */
interface FoundConfiguration {
  /** Path as it may be printed. */
  readonly path: string
  readonly exportName: string
  readonly config: AuthConfig
}

/**
 * Loads the module that exports the configuration. Its code runs.
 *
 * @param path path of the module; undefined for the first of the usual places that has one
 * @param exportName name of the export; undefined for the usual names, and for the only export that may be one
 * @throws {UnreadableModule}
 */
export async function loadConfiguration(
  path: string | undefined,
  exportName: string | undefined,
): Promise<FoundConfiguration> {
  const found = path ?? usualPath()
  if (!existsSync(found)) throw new UnreadableModule(`There is no file ${found}.`, 'Give the path of the module.')
  const exports = await load(found)
  const name = exportName ?? nameIn(exports)
  if (name === undefined || !Object.hasOwn(exports, name)) {
    const names = Object.keys(exports)
    throw new UnreadableModule(
      `${found} exports no configuration${exportName === undefined ? '' : ` with the name ${exportName}`}. It exports ${names.length === 0 ? 'nothing' : names.join(', ')}.`,
      'Export the object that you give to expressAuth, as in `export const config = { … }`; or name it with --export.',
    )
  }
  const config = exports[name]
  if (typeof config === 'function') {
    throw new UnreadableModule(
      `${name} of ${found} is a function, which gives a configuration for each request.`,
      'Export the configuration of one tenant, and name it with --export.',
    )
  }
  return { path: found, exportName: name, config: config as AuthConfig }
}

function usualPath(): string {
  const all = USUAL_FOLDERS.flatMap((folder) =>
    USUAL_NAMES.flatMap((name) => EXTENSIONS.map((extension) => `${folder}${name}.${extension}`)),
  )
  const found = all.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new UnreadableModule(
    'Which module exports the configuration? There is none in the usual places, such as auth.ts and src/auth.ts.',
    'Give its path: npx latchkey doctor server/sign-in.js',
  )
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(resolve(path)).href
  const neverLoaded = () =>
    new UnreadableModule(
      `${path} did not finish loading within ${LOADING_SECONDS} seconds.`,
      'It awaits something at its top level. Move the configuration into a module of its own.',
    )
  try {
    const exports: object = await within(import(url), LOADING_SECONDS * 1000, neverLoaded)
    // The default export of a CommonJS module that was compiled from TypeScript is the object of all its exports.
    const whole = (exports as { default?: unknown }).default
    return { ...(typeof whole === 'object' && whole !== null && '__esModule' in whole && whole), ...exports }
  } catch (error) {
    if (error instanceof UnreadableModule) throw error
    throw new UnreadableModule(`${path} could not be loaded: ${messageOf(error)}`, cureFor(error, path))
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))

function cureFor(error: unknown, path: string): string {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  const isTypeScript = /\.[cm]?ts$/.test(path)
  const provider = /providers[\\/](?:catalogue[\\/])?([\w-]+)/.exec(message)?.[1]
  if (provider !== undefined && /NOT_FOUND|NOT_EXPORTED/.test(String(code))) {
    const meant = nearestName(provider, CATALOGUE_NAMES)
    if (meant !== undefined && meant !== provider) return `Did you mean "latchkey/providers/${meant}"?`
  }
  if (isTypeScript && (code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_MODULE_NOT_FOUND')) {
    return `Let tsx read TypeScript, as in: node --import tsx node_modules/latchkey/dist/cli/latchkey.js doctor ${path}`
  }
  const { name } = error as { name?: unknown }
  if (name === 'SyntaxError' && message.includes('does not provide an export')) {
    return 'Providers are default exports: import GitHub from "latchkey/providers/github".'
  }
  return 'Mend this first. If the variables of the application are in a file, name it with --env-file.'
}

/** The name of the export that is the configuration: a usual one, or else the only one that has providers. */
function nameIn(exports: Readonly<Record<string, unknown>>): string | undefined {
  const usual = USUAL_EXPORTS.find((name) => hasProviders(exports[name]))
  if (usual !== undefined) return usual
  const fitting = Object.keys(exports).filter((name) => hasProviders(exports[name]))
  if (fitting.length === 1) return fitting[0]
  return USUAL_EXPORTS.find((name) => ['object', 'function'].includes(typeof exports[name]) && exports[name] !== null)
}

const hasProviders = (value: unknown) => typeof value === 'object' && value !== null && 'providers' in value
