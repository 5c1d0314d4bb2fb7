/** Values that an expression of the provider facts is read from. */
export interface ExpressionScope {
  readonly profile: unknown
  /** Answer of the extra request. */
  readonly extra?: unknown
  /** The token answer. */
  readonly token?: unknown
  /** Options of the provider, for templates. */
  readonly variables?: Readonly<Record<string, string>>
}

type Step = string | number | { readonly where: string }

/**
 * The value of an expression: `a.b[0].c`, `list[?flag].x`, `??` for a fallback, `+` for parts joined by a blank, `&&`, a URL
 * with `{a.b}` in it, `| filter`; `extra:` and `token.` read other answers. Null when there is none.
 */
export function evaluate(expression: string | null, scope: ExpressionScope): unknown {
  if (expression === null) return null
  if (expression.includes(' && ')) return expression.split(' && ').every((part) => evaluate(part, scope) === true)
  for (const alternative of expression.split(' ?? ')) {
    const parts = alternative.split(' + ').map((part) => evaluateTerm(part, scope))
    const value = parts.length === 1 ? parts[0] : parts.filter(Boolean).join(' ')
    if (value !== undefined && value !== null && value !== '') return value
  }
  return null
}

function evaluateTerm(term: string, scope: ExpressionScope): unknown {
  if (/^https?:|^\{/.test(term)) {
    let isWhole = true
    const text = term.replaceAll(/\{([^}]+)\}/g, (_match, inner: string) => {
      const value = scope.variables?.[inner] ?? evaluateTerm(inner, scope)
      if (value === undefined || value === null) isWhole = false
      return String(value)
    })
    return isWhole ? text : undefined
  }
  const [path = '', filter] = term.split(' | ')
  const value = follow(path, scope)
  if (filter === 'last-colon-segment') return typeof value === 'string' ? value.split(':').at(-1) : undefined
  if (filter === 'strip-query') return typeof value === 'string' ? value.split('?')[0] : undefined
  return value
}

function follow(path: string, scope: ExpressionScope): unknown {
  const [root, rest] = rootOf(path)
  return stepsOf(rest).reduce<unknown>((value, step) => {
    if (value === undefined || value === null) return undefined
    if (typeof step !== 'object') return (value as Record<string | number, unknown>)[step]
    return (value as Record<string, unknown>[]).find((entry) => entry[step.where])
  }, scope[root])
}

const stepsOf = (path: string): Step[] =>
  [...path.matchAll(/\[\?(\w+)\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, where, index, name]) =>
    where ? { where } : index === undefined ? (name ?? '') : Number(index),
  )

/** Every path that an expression reads. */
export const pathsIn = (expression: string | null): string[] =>
  (expression ?? '')
    .split(/ \?\? | \+ | && /)
    .flatMap((term) =>
      /^https?:|^\{/.test(term) ? [...term.matchAll(/\{([^}]+)\}/g)].map(([, inner = '']) => inner) : [term],
    )
    .map((path) => path.split(' | ')[0] ?? '')
    .filter(Boolean)

/** Puts a value where a path reads it, with the objects and lists on the way. */
export function place(path: string, value: unknown, roots: { profile: object; extra?: unknown; token?: object }): void {
  const [root, rest] = rootOf(path)
  const steps = stepsOf(rest)
  if (root === 'extra') roots.extra ??= typeof steps[0] === 'object' ? [] : {}
  if (root === 'token') roots.token ??= {}
  let target = roots[root] as Record<string | number, unknown>
  steps.forEach((step, at) => {
    const isLast = at === steps.length - 1
    const next = steps[at + 1]
    const fresh = () => (typeof next === 'object' || typeof next === 'number' ? [] : {})
    if (typeof step === 'object') {
      const list = target as unknown as Record<string, unknown>[]
      if (list.length === 0) list.push({ [step.where]: false, decoy: true }, { [step.where]: true })
      target = list[1] as Record<string, unknown>
    } else if (isLast) target[step] = value
    else {
      target[step] ??= fresh()
      target = target[step] as Record<string, unknown>
    }
  })
}

/** Takes away what a path reads. */
export function remove(path: string, roots: { profile: object; extra?: unknown; token?: object }): void {
  const [root, rest] = rootOf(path)
  const steps = stepsOf(rest)
  let target: unknown = roots[root]
  for (const [at, step] of steps.entries()) {
    if (typeof target !== 'object' || target === null) return
    if (typeof step === 'object') target = (target as Record<string, unknown>[]).find((entry) => entry[step.where])
    else if (at === steps.length - 1) delete (target as Record<string | number, unknown>)[step]
    else target = (target as Record<string | number, unknown>)[step]
  }
}

/** Which answer a path reads, and the path within it. */
const rootOf = (path: string): ['profile' | 'extra' | 'token', string] =>
  path.startsWith('extra:')
    ? ['extra', path.slice('extra:'.length)]
    : path.startsWith('token.')
      ? ['token', path.slice('token.'.length)]
      : ['profile', path]
