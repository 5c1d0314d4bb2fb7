import { type AnyNode, type Function as FunctionNode, parse } from 'acorn'

/** Name of the global object that instrumented code reports to: `recorder.ts` makes it. */
export const GLOBAL_NAME = '__latchkeyTrace'

/** Where a function is. */
export interface Place {
  /** Path from the folder that is traced. */
  readonly file: string
  /** The name in the source; for a callback the name of the function around it, or empty where there is none. */
  readonly name: string
  /** Line in the code that Node runs. The first line is 1. */
  readonly line: number
  /** Whether the function has no name, because it is written as an argument of another call. */
  readonly isCallback: boolean
}

interface Insertion {
  readonly at: number
  readonly text: string
}

/**
 * Makes every function of a module report each call: declarations, expressions, arrows, methods, accessors,
 * constructors.
 *
 * The body becomes a closure, which the recorder calls: so it knows what is called within the call. A generator only
 * reports, since `yield` cannot stand in a closure.
 *
 * @param code an ECMAScript module
 * @param file what the recorder is given as the path of the file
 */
export function instrument(code: string, file: string): string {
  const insertions: Insertion[] = []
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), [], (node, ancestors) => {
    const place: Place = { file, line: node.loc?.start.line ?? 0, ...nameOf(node, ancestors) }
    insertions.push(...wrap(node, JSON.stringify(place)))
  })
  // From the end to the start, so that positions stay right. Where two functions end at one place, the text of the
  // outer one is inserted first: what is inserted later at the same place stands before it.
  let instrumented = code
  for (const { at, text } of insertions.sort((a, b) => b.at - a.at))
    instrumented = instrumented.slice(0, at) + text + instrumented.slice(at)
  return instrumented
}

function wrap({ body, async, generator }: FunctionNode, place: string): Insertion[] {
  const keyword = async ? 'async ' : ''
  if (generator) return [{ at: body.start + 1, text: `${GLOBAL_NAME}.call(${place}, () => {});` }]
  if (body.type === 'BlockStatement')
    return [
      { at: body.start + 1, text: `return ${GLOBAL_NAME}.call(${place}, ${keyword}() => {` },
      { at: body.end - 1, text: '})' },
    ]
  return [
    { at: body.start, text: `${GLOBAL_NAME}.call(${place}, ${keyword}() => (` },
    { at: body.end, text: '))' },
  ]
}

type OnFunction = (node: FunctionNode, ancestors: readonly AnyNode[]) => void

/** Visits the functions of a syntax tree, outer ones first. Ancestors begin with the parent. */
function visit(node: AnyNode, ancestors: readonly AnyNode[], onFunction: OnFunction): void {
  if (isFunction(node)) onFunction(node, ancestors)
  for (const value of Object.values(node) as unknown[])
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visit(child, [node, ...ancestors], onFunction)
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const isFunction = (node: AnyNode): node is AnyNode & FunctionNode =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'

function nameOf(node: FunctionNode, ancestors: readonly AnyNode[]): Pick<Place, 'name' | 'isCallback'> {
  const own = node.id?.name ?? nameGivenBy(ancestors[0])
  if (own !== undefined) return { name: own, isCallback: false }
  const outer = ancestors.findIndex(isFunction)
  const around = ancestors[outer]
  const name = around && isFunction(around) ? nameOf(around, ancestors.slice(outer + 1)).name : ''
  return { name, isCallback: true }
}

function nameGivenBy(parent: AnyNode | undefined): string | undefined {
  switch (parent?.type) {
    case 'VariableDeclarator':
      return textOf(parent.id)
    case 'Property':
    case 'PropertyDefinition':
    case 'MethodDefinition':
      return textOf(parent.key)
    case 'AssignmentExpression':
      return textOf(parent.left)
    default:
      return undefined
  }
}

function textOf(node: AnyNode): string | undefined {
  switch (node.type) {
    case 'Identifier':
      return node.name
    case 'PrivateIdentifier':
      return `#${node.name}`
    case 'Literal':
      return String(node.value)
    case 'MemberExpression':
      return textOf(node.property)
    default:
      return undefined
  }
}
