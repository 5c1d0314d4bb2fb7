import { isModule, isPlainObject, isPromise } from './describe-value.js'
import { nearestName } from './nearest-name.js'
import { type Problem, problemsOf, quoted, type Shape, type ShapesOf } from './shape.js'

/** A member that another library or version knows, and this one does not. */
export interface ForeignMember {
  /** Whole sentences: what became of it, and what to write instead. */
  readonly message: string
  /** Without effect and without harm: it is warned of, and no more. */
  readonly isUnused?: true
}

/** What else is known of an object, beside its members. */
export interface ObjectRules {
  /**
   * Members of other names that pass, as in objects of other libraries: `all` of them, those that are not nearly the name of a member that is missing, or
   * those in a list. None does by default.
   */
  readonly others?: 'all' | 'unless-near' | readonly string[]
  readonly foreign?: Readonly<Record<string, ForeignMember>>
  /** What to do with data of the application's own. */
  readonly custom?: string
}

/** Of so many members at most is said that they are unknown: more come of one mistake. */
const MOST_UNKNOWN = 5
const MOST_LISTED = 14

/** An object with members of its own, each with its shape. */
export function object<T>(members: ShapesOf<T>, rules: ObjectRules = {}): Shape<T> {
  const shapes = members as Readonly<Record<string, Shape>>
  return {
    expected: 'an object',
    fits: (value) => isPlainObject(value) || isInstanceWith(Object.keys(shapes), value),
    members: shapes,
    inside: (value, path) => [
      ...unknownMembers(value as object, path, shapes, rules),
      ...Object.entries(shapes).flatMap(([name, shape]) =>
        problemsOf((value as Record<string, unknown>)[name], shape, joined(path, name)),
      ),
    ],
  }
}

/** An instance of a class counts where it has any of the members: a Map, a Date or a list has none, and stands there by mistake. */
const isInstanceWith = (names: readonly string[], value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !isPromise(value) &&
  names.some((name) => name in value)

function unknownMembers(
  value: object,
  path: string,
  shapes: Readonly<Record<string, Shape>>,
  { others, foreign = {}, custom = '' }: ObjectRules,
): Problem[] {
  if (others === 'all') return []
  const known = [...Object.keys(shapes), ...(Array.isArray(others) ? (others as readonly string[]) : [])]
  // The fields and methods of a class beside those that are asked for are its own affair, as far as they are none of these misspelt.
  const passes = others === 'unless-near' || !isPlainObject(value)
  const problems = namesIn(value)
    .filter((name) => !known.includes(name))
    .flatMap((name): Problem[] => {
      const place = joined(path, shortened(name))
      const found = (message: string): Problem[] => [
        { kind: 'name', path: place, message: `${quoted(place)} ${message}` },
      ]
      if (passes) {
        const meant = misspelt(name, value, known)
        return meant === undefined ? [] : found(`is unknown. Did you mean ${quoted(joined(path, meant))}?`)
      }
      const from = Object.hasOwn(foreign, name) ? foreign[name] : undefined
      if (from?.isUnused) return [{ kind: 'unused', path: place, message: `${quoted(place)} ${from.message}` }]
      if (from) return found(from.message)
      if (name === 'default' && isModule(value)) return found('is unknown: this is a module. Give what it exports.')
      return found(`is unknown. ${advice(name, path, known, shapes, custom)}`)
    })
  const unknown = problems.filter(({ kind }) => kind === 'name')
  if (unknown.length <= MOST_UNKNOWN) return problems
  const rest = unknown.length - MOST_UNKNOWN
  const message = `${path === '' ? 'There are' : `${quoted(path)} has`} ${rest} further members that are unknown.`
  const unused = problems.filter(({ kind }) => kind === 'unused')
  return [...unused, ...unknown.slice(0, MOST_UNKNOWN), { kind: 'name', path, message }]
}

/** The members of an object that are not undefined; of an instance, whatever it has, since getters of a class are not called to find out. */
function namesIn(value: object): readonly string[] {
  if (isPlainObject(value)) return Object.keys(value).filter((name) => value[name] !== undefined)
  const names = new Set(Object.keys(value))
  for (
    let from = value, next = Object.getPrototypeOf(from);
    next !== null;
    from = next, next = Object.getPrototypeOf(from)
  ) {
    for (const name of Object.getOwnPropertyNames(from)) if (name !== 'constructor') names.add(name)
  }
  return [...names]
}

/** The missing member that a name nearly is. A plural, or a word more or less at the end, makes a name of its own: `getSessions`, `accountID`. */
function misspelt(name: string, value: object, known: readonly string[]): string | undefined {
  const missing = known.filter((each) => (value as Record<string, unknown>)[each] === undefined)
  const meant = nearestName(name, missing)
  return meant !== undefined && (goesOn(meant, name) || goesOn(name, meant)) ? undefined : meant
}

const goesOn = (name: string, longer: string) =>
  longer.startsWith(name) && /^(?:s$|[A-Z\d_])/.test(longer.slice(name.length))

function advice(
  name: string,
  path: string,
  known: readonly string[],
  shapes: Readonly<Record<string, Shape>>,
  custom: string,
): string {
  const near = nearestName(name, known)
  const meant = near === undefined ? elsewhere(name, shapes) : [near]
  if (meant.length > 0) return `Did you mean ${meant.map((each) => quoted(joined(path, each))).join(' or ')}?`
  const listed = known.length <= MOST_LISTED ? `What may stand there: ${known.join(', ')}.` : ''
  return [listed, custom].filter(Boolean).join(' ') || 'Leave it out.'
}

/** Members of members that have this name: it stands one level too high. */
const elsewhere = (name: string, shapes: Readonly<Record<string, Shape>>): string[] =>
  Object.entries(shapes).flatMap(([outer, { members = {} }]) =>
    Object.keys(members)
      .filter((inner) => inner.toLowerCase() === name.toLowerCase())
      .map((inner) => `${outer}.${inner}`),
  )

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

/** A name as somebody wrote it may be anything. */
const shortened = (name: string) => (/^[\w$-]{1,40}$/.test(name) ? name : JSON.stringify(name.slice(0, 40)))
