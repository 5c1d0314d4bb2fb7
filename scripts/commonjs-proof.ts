import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type AnyNode, parse } from 'acorn'
import { SYNTAX } from './commonjs-loader.cjs'

/**
 * Proves what the loader of CommonJS takes for granted about modules and all that they import: with a parser, that it finds
 * every import and export, and nothing else; that no modules import each other in a circle; and that nothing exported gets
 * another value later.
 *
 * @param folder that of all modules
 * @param entries by path from it
 * @throws {Error} with the module
 */
export async function proveLoadable(folder: string, entries: readonly string[]): Promise<void> {
  const proved = new Set<string>()
  // With what `import()` loads, which is in no circle.
  const later = [...entries]

  async function prove(file: string, importers: readonly string[]): Promise<void> {
    if (importers.includes(file)) throw new Error(`These import each other: ${[...importers, file].join(', ')}.`)
    if (proved.has(file)) return
    proved.add(file)
    const text = await readFile(path.join(folder, file), 'utf8')
    const nodes = nodesOf(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }))
    const found = [...text.matchAll(SYNTAX)].map(({ index }) => index)
    const there = nodes.filter(isModuleSyntax).map(({ start }) => start)
    if (found.join() !== there.join()) throw new Error(`The loader of CommonJS misreads ${file}.`)
    const changed = changedExports(nodes)
    if (changed.length > 0) throw new Error(`${file} changes what it exports: ${changed.join(', ')}.`)
    for (const { name, isLater } of importsOf(nodes)) {
      const imported = path.posix.join(path.posix.dirname(file), name)
      if (name.startsWith('.') && isLater) later.push(imported)
      else if (name.startsWith('.')) await prove(imported, [...importers, file])
    }
  }

  for (const file of later) await prove(file, [])
}

/** The nodes of a syntax tree, in the order of the text. */
function nodesOf(node: AnyNode): AnyNode[] {
  const below = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
  return [node, ...below.filter(isNode).flatMap(nodesOf)]
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const isModuleSyntax = (node: AnyNode) =>
  node.type === 'MetaProperty'
    ? node.meta.name === 'import'
    : /^(?:Import|Export).*(?:Declaration|Expression)$/.test(node.type)

function importsOf(nodes: readonly AnyNode[]): { readonly name: string; readonly isLater: boolean }[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'ImportDeclaration' && node.type !== 'ImportExpression') return []
    if (node.source.type !== 'Literal') throw new Error('The loader of CommonJS needs imports by a literal name.')
    return [{ name: String(node.source.value), isLater: node.type === 'ImportExpression' }]
  })
}

/** Exported names to which the module assigns something. */
function changedExports(nodes: readonly AnyNode[]): string[] {
  const exported = nodes.flatMap((node) =>
    node.type === 'ExportSpecifier' && node.local.type === 'Identifier' ? [node.local.name] : [],
  )
  const assigned = nodes.flatMap((node) => {
    if (node.type === 'AssignmentExpression') return namesIn(node.left)
    if (node.type === 'UpdateExpression') return namesIn(node.argument)
    return node.type === 'ForOfStatement' || node.type === 'ForInStatement' ? namesIn(node.left) : []
  })
  return exported.filter((name) => assigned.includes(name))
}

/** The variables that get a value where this is assigned to; none for a declaration, which makes variables of its own. */
function namesIn(target: AnyNode | null): string[] {
  switch (target?.type) {
    case 'Identifier':
      return [target.name]
    case 'ArrayPattern':
      return target.elements.flatMap(namesIn)
    case 'ObjectPattern':
      return target.properties.flatMap(namesIn)
    case 'Property':
      return namesIn(target.value)
    case 'AssignmentPattern':
      return namesIn(target.left)
    case 'RestElement':
      return namesIn(target.argument)
    default:
      return []
  }
}
