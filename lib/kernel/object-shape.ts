import { isModule, isPlainObject, isPromise } from './describe-value.js'
import { namesIn } from './inherited.js'
import { nearestName } from './nearest-name.js'
import { memberProblems, type Problem, quoted, type Shape, type ShapesOf } from './shape.js'

/** Rules about members of an object that have no shape. */
export interface ObjectRules {
  /**
   * Which members with unknown names are accepted, as in objects of other libraries: `all`; `unless-near` for those whose
   * name is not nearly that of a missing member; or those in a list. By default none.
   */
  readonly others?: 'all' | 'unless-near' | readonly string[]
  /** Members that belong elsewhere, each with the words that say so after its name. */
  readonly misplaced?: Readonly<Record<string, string>>
  /** A sentence that says where data of the application belongs. */
  readonly custom?: string
}

/** The most unknown members that are named. If there are more, they have one cause. */
const MOST_UNKNOWN = 5
/** The most known members that a message lists. */
const MOST_LISTED = 14

/** An object whose members have the given shapes. */
export function object<T>(members: ShapesOf<T>, rules: ObjectRules = {}): Shape<T> {
  const shapes = members as Readonly<Record<string, Shape>>
  return {
    expected: 'an object',
    fits: (value) => isPlainObject(value) || isInstanceWith(Object.keys(shapes), value),
    members: shapes,
    inside: (value, path) => [
      ...unknownMembers(value as object, path, shapes, rules),
      ...Object.entries(shapes).flatMap(([name, shape]) =>
        memberProblems(value as object, name, shape, joined(path, name)),
      ),
    ],
  }
}

/** Whether a value is an instance of a class that has one of the members at least. A Map or a Date has none of them. */
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
  { others, misplaced = {}, custom = '' }: ObjectRules,
): Problem[] {
  if (others === 'all') return []
  const known = [...Object.keys(shapes), ...(Array.isArray(others) ? (others as readonly string[]) : [])]
  // A class may have fields and methods of its own. One whose name is nearly that of a missing member is a misspelling.
  const passes = others === 'unless-near' || !isPlainObject(value)
  const unknown = namesIn(value)
    .filter((name) => !known.includes(name))
    .flatMap((name): Problem[] => {
      const place = joined(path, shortened(name))
      const found = (message: string): Problem[] => [
        { kind: 'name', path: place, message: `${quoted(place)} ${message}` },
      ]
      if (passes || !Object.prototype.propertyIsEnumerable.call(value, name)) {
        const meant = misspelt(name, value, known)
        return meant === undefined ? [] : found(`is unknown. Did you mean ${quoted(joined(path, meant))}?`)
      }
      if (Object.hasOwn(misplaced, name)) return found(misplaced[name] ?? '')
      if (name === 'default' && isModule(value))
        return found('is unknown, because this is a module. Give what it exports.')
      return found(`is unknown. ${advice(name, path, known, shapes, custom)}`)
    })
  if (unknown.length <= MOST_UNKNOWN) return unknown
  const rest = unknown.length - MOST_UNKNOWN
  const message = `${path === '' ? 'There are' : `${quoted(path)} has`} ${rest} further members that are unknown.`
  return [...unknown.slice(0, MOST_UNKNOWN), { kind: 'name', path, message }]
}

/**
 * The missing member that a misspelt name probably means. A name with one word more or less at the end, or its plural, is
 * not a misspelling: `getSessions`, `accountID`.
 */
function misspelt(name: string, value: object, known: readonly string[]): string | undefined {
  const missing = known.filter((each) => (value as Record<string, unknown>)[each] === undefined)
  const meant = nearestName(name, missing)
  return meant !== undefined && (isContinued(meant, name) || isContinued(name, meant)) ? undefined : meant
}

const isContinued = (name: string, longer: string) =>
  longer.startsWith(name) && /^(?:s$|[A-Z\d_])/.test(longer.slice(name.length))

function advice(
  name: string,
  path: string,
  known: readonly string[],
  shapes: Readonly<Record<string, Shape>>,
  custom: string,
): string {
  const near = nearestName(name, known)
  const isSame = near?.toLowerCase() === name.toLowerCase()
  const below = isSame ? [] : sameNameBelow(name, shapes)
  const meant = below.length > 0 ? below : [near ?? []].flat()
  if (meant.length > 0) return `Did you mean ${meant.map((each) => quoted(joined(path, each))).join(' or ')}?`
  const listed = known.length <= MOST_LISTED ? `The known names are: ${known.join(', ')}.` : ''
  return [listed, custom].filter(Boolean).join(' ') || 'Leave it out.'
}

/** Members of members that have this name: the name was written one level too high. */
const sameNameBelow = (name: string, shapes: Readonly<Record<string, Shape>>): string[] =>
  Object.entries(shapes).flatMap(([outer, { members = {} }]) =>
    Object.keys(members)
      .filter((inner) => inner.toLowerCase() === name.toLowerCase())
      .map((inner) => `${outer}.${inner}`),
  )

/** A name with dots is not a way through objects, so it stands in quotes. */
const joined = (path: string, name: string) => {
  if (path === '') return name
  const inQuotes = name.startsWith('"') ? name : JSON.stringify(name)
  return /^[\w$-]+$/.test(name) ? `${path}.${name}` : `${path}[${inQuotes}]`
}

/** A name that is safe in a message: a long one is cut, and unusual characters are escaped. */
const shortened = (name: string) => (/^[\w$-]{1,40}$/.test(name) ? name : JSON.stringify(name.slice(0, 40)))
