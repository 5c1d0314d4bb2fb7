import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { InvalidConfiguration } from '../errors.js'
import { linkModules } from './link-modules.js'
import { packageFile } from './package-file.js'

/** The one script of the built-in pages. */
export interface ServedScript {
  /** Path under the mount, with the hash of the source in it: `assets/passkey.{hash}.js`. */
  readonly path: string
  /** An ES module without imports. */
  readonly source: string
}

const LIBRARY = '@simplewebauthn/browser'
const ENTRY = './signin-page.js'
/** In a checkout of the repository, tsx runs the TypeScript. The package has JavaScript only. */
const IS_CHECKOUT = import.meta.url.endsWith('.ts')

const NOTICE =
  '/* latchkey, with @simplewebauthn/browser (MIT License, https://github.com/MasterKale/SimpleWebAuthn) */\n'

let loaded: Promise<ServedScript> | undefined

/**
 * The script, put together at the first call and kept for the process.
 *
 * @throws {InvalidConfiguration} when `@simplewebauthn/browser` is not installed
 */
export function loadScript(): Promise<ServedScript> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

/** Path of the script under the mount, in this version or another. */
export const SCRIPT_PATH = /^\/assets\/passkey\.[\w-]{1,64}\.js$/

async function load(): Promise<ServedScript> {
  const source = NOTICE + (await linkModules(ENTRY, readClientModule, { [LIBRARY]: await readLibrary() }))
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 22)
  return { path: `assets/passkey.${hash}.js`, source }
}

/** The library's own bundle, which hands its functions to a CommonJS `exports`, as an expression. */
async function readLibrary(): Promise<string> {
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(LIBRARY)
  } catch (cause) {
    throw new InvalidConfiguration(
      `The sign-in page needs the package ${LIBRARY} for passkeys. Install it: npm install ${LIBRARY}`,
      { err: cause as Error },
    )
  }
  const bundle = new URL('../dist/bundle/index.umd.min.js', pathToFileURL(entry))
  const source = await readFile(bundle, 'utf8')
  return `(() => {\nconst exports = {}, module = { exports };\n${source}\nreturn exports;\n})()`
}

async function readClientModule(name: string): Promise<string> {
  if (!IS_CHECKOUT) return readFile(packageFile(`dist/client/${name}`), 'utf8')
  const source = await readFile(packageFile(`lib/client/${name.replace(/\.js$/, '.ts')}`), 'utf8')
  // It is installed with tsx. Its name is in a variable, so that no tool takes it for a dependency of the package.
  const compiler = 'esbuild'
  const { transform } = (await import(compiler)) as {
    transform(source: string, options: object): Promise<{ code: string }>
  }
  return (await transform(source, { loader: 'ts', target: 'es2022' })).code
}
