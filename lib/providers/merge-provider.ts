import { isPlainObject } from '../shapes/describe-value.js'

/** Members of a provider object, before anything is known of their types. */
export type Members = Record<string, unknown>

const ENDPOINTS = new Set(['authorization', 'token', 'userinfo'])

/**
 * A provider's own members with its `options` over them, as a new object: plain objects are merged member by member and
 * copied, everything else is taken over as it is. Endpoints come out in object form, so that options may give parameters alone
 * and keep the provider's URL; parameters in the URL of an option stand for the provider's own of the same names.
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
    // An option that is present but undefined, as from a missing environment variable, must not hide the provider's own.
    if (given === undefined || name === '__proto__') continue
    const value = ENDPOINTS.has(name) ? asEndpoint(given) : given
    const before = ENDPOINTS.has(name) ? withoutNamed(target[name], isPlainObject(value) ? value : {}) : target[name]
    target[name] = isPlainObject(value) ? mergeMembers(isPlainObject(before) ? { ...before } : {}, value) : value
  }
  return target
}

/** An endpoint without the parameters that the URL of another one has in its query: whoever wrote it there wants that one. */
function withoutNamed(before: unknown, { url }: Members): unknown {
  if (!isPlainObject(before) || !isPlainObject(before['params'])) return before
  if (typeof url !== 'string' || !URL.canParse(url)) return before
  const named = new URL(url).searchParams
  return {
    ...before,
    params: Object.fromEntries(Object.entries(before['params']).filter(([name]) => !named.has(name))),
  }
}

const asEndpoint = (value: unknown): unknown =>
  typeof value === 'string' ? { url: value } : value instanceof URL ? { url: value.href } : value

/**
 * The member under a symbol with this description. Another copy of this package, or Auth.js, has a symbol of its own for
 * the same purpose, and its provider objects work here as well.
 */
export function symbolMember(provider: object, description: string): unknown {
  const key = Object.getOwnPropertySymbols(provider).find((symbol) => symbol.description === description)
  return key === undefined ? undefined : (provider as Record<symbol, unknown>)[key]
}
