import { isPlainObject } from '../kernel/describe-value.js'
import { isAbsoluteUrl } from '../kernel/urls.js'

/** Members of a provider object whose types are not checked yet. */
export type Members = Record<string, unknown>

const ENDPOINTS = new Set(['authorization', 'token', 'userinfo'])

/**
 * Makes a new object of the members of a provider and of its `options`, which replace members of the same name. Object
 * literals are merged member by member; other values are replaced. Endpoints become objects, so that an option may set
 * parameters and keep the URL of the provider. Parameters in the URL of an option replace parameters of the same name.
 *
 * Members under symbols are left out; {@link symbolMember} finds them.
 */
export function mergeProvider(provider: object): Members {
  const { options, ...own } = provider as Members
  const merged = mergeMembers({}, own)
  return isPlainObject(options) ? mergeMembers(merged, options) : merged
}

function mergeMembers(target: Members, source: Members): Members {
  for (const [name, given] of Object.entries(source)) {
    // An option may be undefined, for example because a variable is unset. It must not replace the member of the provider.
    if (given === undefined || name === '__proto__') continue
    const value = ENDPOINTS.has(name) ? asEndpoint(given) : given
    const before = ENDPOINTS.has(name) ? withoutNamed(target[name], isPlainObject(value) ? value : {}) : target[name]
    target[name] = isPlainObject(value) ? mergeMembers(isPlainObject(before) ? { ...before } : {}, value) : value
  }
  return target
}

/** An endpoint without the parameters that are also in the query of another URL. Those in the URL are used. */
function withoutNamed(before: unknown, { url }: Members): unknown {
  if (!isPlainObject(before) || !isPlainObject(before['params'])) return before
  if (typeof url !== 'string' || !isAbsoluteUrl(url)) return before
  const named = new URL(url).searchParams
  return {
    ...before,
    params: Object.fromEntries(Object.entries(before['params']).filter(([name]) => !named.has(name))),
  }
}

const asEndpoint = (value: unknown): unknown =>
  typeof value === 'string' ? { url: value } : value instanceof URL ? { url: value.href } : value

/**
 * The member under a symbol with this description. The symbol of another copy of this package, or of Auth.js, is another
 * one with the same description, and provider objects of both must work here.
 */
export function symbolMember(provider: object, description: string): unknown {
  const key = Object.getOwnPropertySymbols(provider).find((symbol) => symbol.description === description)
  return key === undefined ? undefined : (provider as Record<symbol, unknown>)[key]
}
