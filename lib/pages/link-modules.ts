/**
 * Gives the JavaScript of a module by its name. Of imports and exports, it has only `import { … } from` and `export`
 * before a declaration.
 */
export type ReadModule = (name: string) => Promise<string>

const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"];?[^\S\n]*$/gm
const EXPORT = /^export (?=(?:async )?(?:function|class|const)\b)/gm
const EXPORTED = /^export (?:async )?(?:function|class|const) (\w+)/gm
const NO_EXPORTS = /^export \{\s*\};?$/gm
const COMMENT = /^[^\S\n]*(?:\/\*[\s\S]*?\*\/|\/\/.*)[^\S\n]*\n/gm

/**
 * Joins modules into one script: each becomes a function that runs once, after those it imports.
 *
 * This is no bundler. It knows the few forms of `import` and `export` that lib/client/ uses, and throws at any other.
 *
 * @param given modules that need not be read, by name: each is an expression whose value is the object of its exports
 */
export async function linkModules(
  entry: string,
  read: ReadModule,
  given: Readonly<Record<string, string>>,
): Promise<string> {
  const names = new Map<string, string>()
  const parts: string[] = []

  const add = (module: string, expression: string) => {
    const name = `module${names.size}`
    names.set(module, name)
    parts.push(`const ${name} = ${expression};`)
  }

  const visit = async (module: string): Promise<void> => {
    if (names.has(module)) return
    const expression = given[module]
    if (expression !== undefined) return add(module, expression)
    const source = (await read(module)).replace(COMMENT, '')
    for (const [, , imported = ''] of source.matchAll(IMPORT)) await visit(imported)
    const exported = [...source.matchAll(EXPORTED)].map(([, name]) => name)
    const body = source
      .replace(IMPORT, (_, members: string, imported: string) => `const {${members}} = ${names.get(imported)};`)
      .replace(EXPORT, '')
      .replace(NO_EXPORTS, '')
      .trim()
    const left = /^(?:import|export)\b.*/m.exec(body)?.[0]
    if (left !== undefined) throw new Error(`${module} has a statement that cannot be linked: ${left}`)
    add(module, `(() => {\n${body}\nreturn { ${exported.join(', ')} };\n})()`)
  }

  await visit(entry)
  return `${parts.join('\n')}\n`
}
