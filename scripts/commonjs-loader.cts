/**
 * What `require` of an entry runs in tools: `dist/commonjs/load.js`. Bundlers, and all that can load an ES module with
 * `require`, get the ES module. Jest before Node 24.9 refuses it, and gets the same file as CommonJS: `import` and `export` are
 * replaced, each by as many lines, so that reports name the lines of the file.
 *
 * The build has proved (`commonjs-proof.ts`) that each is found, and nothing else, that no files import each other in a circle,
 * and that nothing exported gets another value later.
 */
type Exports = Record<string, unknown>
type Code = (exports: Exports, imported: (name: string) => Exports, importedLater: (name: string) => unknown) => void

/** Packages that are ES modules only. The build writes each into `dist/commonjs/packages/`. */
const PACKAGES: readonly string[] = ['eta/core', 'jose', 'openid-client']

/** Every form in which esbuild writes imports and exports. */
const SYNTAX =
  /^import (?:(?:\{(?<names>[^}]*)\}|\* as (?<namespace>[\w$]+)|(?<own>[\w$]+)) from )?(?<from>"[^"]+");$|^export \{(?<exported>[^}]*)\};$|\bimport(?:\.meta\b|(?=\())/gm

/** What has run, by path from `dist/`. */
const loaded = new Map<string, Exports>()
let isRefused = false

/**
 * Gives what `require` of an ES module gives in Node.
 *
 * @param file its path from `dist/`
 * @param requireIt requires it, in the entry's own code, where bundlers find it
 * @param entry the module of the entry: Jest's `require` knows mocks, which that of Node does not
 */
function load(file: string, requireIt: () => Exports, entry: NodeJS.Module): unknown {
  const exports = required(requireIt) ?? exportsOf(file, entry)
  return exports['module.exports'] ?? exports
}

/** The ES module; null where the tool refuses it. A bundle never does: this file is then a part of another one. */
function required(requireIt: () => Exports): Exports | null {
  if (isRefused) return null
  try {
    return requireIt()
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException
    const isFile = typeof __filename === 'string' && /[\\/]dist[\\/]commonjs[\\/]load\.js$/.test(__filename)
    isRefused = isFile && (name === 'SyntaxError' || code === 'ERR_REQUIRE_ESM')
    if (isRefused) return null
    throw error
  }
}

function exportsOf(file: string, entry: NodeJS.Module): Exports {
  const known = loaded.get(file)
  if (known !== undefined) return known
  const { posix } = process.getBuiltinModule('node:path')
  const imported = (name: string): Exports => {
    if (PACKAGES.includes(name)) return exportsOf(`commonjs/packages/${name}.mjs`, entry)
    if (name.startsWith('.')) return exportsOf(posix.join(posix.dirname(file), name), entry)
    const module = entry.require(name)
    return Object.create(module, { default: { value: module } })
  }
  // Compilers look for it before they take `default`.
  const exports: Exports = Object.defineProperty({}, '__esModule', { value: true })
  codeOf(file)(exports, imported, async (name) => imported(name))
  loaded.set(file, exports)
  return exports
}

/** @throws {Error} when the file is outside of `dist/` */
function codeOf(file: string): Code {
  // Not with `require`, which would give the application's mock of these modules.
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { join, sep } = process.getBuiltinModule('node:path')
  const dist = join(__dirname, '..')
  const path = join(dist, file)
  if (!path.startsWith(dist + sep)) throw new Error(`${file} is no file of Latchkey.`)
  const text = inCommonJs(readFileSync(path, 'utf8'))
  // V8 takes no name with blanks or quotation marks.
  const name = process.getBuiltinModule('node:url').pathToFileURL(path).href.replaceAll("'", '%27')
  // The `eval` of Jest's sandbox, so that the code has the globals of the test: its Date, process and fetch.
  // biome-ignore lint/security/noGlobalEval: the code is that of the package.
  return globalThis.eval(
    `(function (__exports, __import, __importLater) { 'use strict'; ${text}\n})\n//# sourceURL=${name}`,
  )
}

function inCommonJs(text: string): string {
  return text.replace(SYNTAX, (found: string, ...others: unknown[]) => {
    const { names, namespace, own, from, exported } = others.at(-1) as Record<string, string | undefined>
    if (exported !== undefined)
      return `Object.assign(__exports, {${exported.replace(/([\w$]+) as ([\w$]+|"[^"]+")/g, '$2: $1')}});`
    if (names !== undefined) return `const {${names.replaceAll(' as ', ': ')}} = __import(${from});`
    if (namespace !== undefined) return `const ${namespace} = __import(${from});`
    if (own !== undefined) return `const { default: ${own} } = __import(${from});`
    if (from !== undefined) return `__import(${from});`
    return found === 'import' ? '__importLater' : '({})'
  })
}

export = { load, PACKAGES, SYNTAX }
