import { describeValue, isModule, isPlainObject, isPromise } from '../kernel/describe-value.js'
import { InvalidProvider } from '../kernel/errors.js'
import { namesIn, withInherited } from '../kernel/inherited.js'
import { nearestName } from '../kernel/nearest-name.js'
import { anything, call, memberProblems, type Problem, problemsOf, recordOf, type Shape } from '../kernel/shape.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import type { CustomFetch, ProviderEnvironment, ProviderType } from './provider-object.js'
import { NESTED_MEMBERS, providerShape } from './provider-shapes.js'

/** Options with which every provider function is called that is in the list uncalled, even if the function ignores them. */
const FROM_ENVIRONMENT = ['clientId', 'clientSecret', 'issuer', 'apiKey'] satisfies (keyof ProviderEnvironment)[]

/** What the entry of FACEIT in Auth.js has where neither Auth.js nor this package reads it. */
const OF_AUTHJS = ['headers']

/**
 * Checks the names and types of a provider's members, down to the members of members. `isSound` says whether every value has its
 * type, so that further checks may read the values.
 *
 * @param made the object as the application or the provider's function gave it
 * @param members the same, merged with its options
 */
export function checkMembers(made: Members, type: ProviderType, members: Members & { id: string }) {
  const { knownOptions, options } = made
  const taken = Array.isArray(knownOptions) ? knownOptions.map(String) : []
  // Functions of Auth.js do not list their options. So any option passes, unless its name is nearly that of a known member.
  const theirs = knownOptions === undefined && isPlainObject(options) ? options : null
  const problems = [
    ...inheritedMembers(made, type),
    ...problemsOf(options, recordOf(anything), 'options'),
    ...[made, options].flatMap((given) => missingLimits(given, members, providerShape(type))),
    ...problemsOf(
      members,
      providerShape(type, [...FROM_ENVIRONMENT, ...taken, ...(theirs ? [...OF_AUTHJS, ...Object.keys(theirs)] : [])]),
      '',
    ),
    ...(theirs ? problemsOf(theirs, providerShape(type, 'unless-near'), '') : []).filter(({ kind }) => kind === 'name'),
    ...[made, options].flatMap((object) => problemsOf(fetchIn(object), call, '[customFetch]')),
  ]
  return {
    findings: problems.map(({ message }) => new InvalidProvider(`Provider "${members.id}": ${message}`)),
    isSound: problems.every(({ kind }) => kind !== 'value'),
  }
}

/** Members that are inherited from a class or another object. They would be ignored, because only own members are merged. */
function inheritedMembers(made: Members, type: ProviderType): Problem[] {
  if (isPlainObject(made)) return []
  const names = Object.keys(providerShape(type).members ?? {})
  const message =
    'is inherited, and only members of the object itself are read. Write the provider as an object literal.'
  return names
    .filter((name) => name in made && !Object.hasOwn(made, name))
    .map((name) => ({ kind: 'value', path: name, message: `\`${name}\` ${message}` }))
}

/**
 * Members whose absence asks for nothing, at any depth. Merging leaves undefined ones out, and the check after it does not see
 * them. One that has a value all the same, because the entry of the provider gives it, is no problem.
 */
const missingLimits = (given: unknown, merged: unknown, { members = {} }: Shape, path = ''): Problem[] =>
  Object.entries(isObject(given) ? members : {}).flatMap(([name, shape]) => {
    const [one, kept] = [given, merged].map((each) => (isObject(each) ? each[name] : undefined))
    if (one !== undefined) return missingLimits(one, kept, shape, `${path}${name}.`)
    return kept === undefined ? memberProblems(given as object, name, shape, path + name) : []
  })

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** The `fetch` of its own that an object has; the check of the members has refused one that is no function. */
const fetchIn = (object: unknown): CustomFetch | undefined =>
  typeof object === 'object' && object !== null
    ? (symbolMember(object, 'custom-fetch') as CustomFetch | undefined)
    : undefined

/** The `fetch` that the application or the entry of a provider has in place of the global one. */
export function fetchOf(made: object): CustomFetch | undefined {
  // With this marker of Auth.js, the provider's `customFetch` serves code of Auth.js that Latchkey does not have.
  const own = symbolMember(made, 'conform-internal') ? undefined : fetchIn(made)
  return own ?? fetchIn((made as Members).options)
}

/** Whether a value may be the object of a provider. */
export const isProviderLike = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isPromise(value) && !isModule(value)

/**
 * The message for a value that is not a provider, but is in the list of providers, and how to correct it.
 *
 * @param entry its name in messages: `providers[0]`, in backticks
 * @param isResult whether the entry is a function, and the value is what it returned
 */
export const notAProvider = (value: unknown, entry: string, isResult: boolean): string =>
  `${entry} is${isResult ? ' a function that gives' : ''} ${describeValue(value)}; ${A_PROVIDER}.${remedyOf(value, isResult)}`

const A_PROVIDER = 'a provider is an object, or a function that makes one'

/** How to correct the value; begins with a blank. Empty if it comes from no frequent mistake. */
function remedyOf(value: unknown, isResult: boolean): string {
  if (isPromise(value)) return ' Await it.'
  if (isModule(value)) return ` Give what the module exports as its default: ${importOf('github')}, without "* as".`
  if (Array.isArray(value)) return ' Write what is in it side by side: [...list].'
  if (typeof value === 'string') return catalogueHint(value) || ` Import the provider: ${importOf('github')}.`
  if (typeof value === 'function') return ' Call it first, with the options it needs, and give what it returns.'
  if (value === undefined) return isResult ? ' Let it return the provider.' : UNDEFINED_IMPORT
  if (value === null || value === false)
    return ' A provider that is there only sometimes is written ...(condition ? [GitHub] : []).'
  return ''
}

/** Node refuses such an import itself. Bundlers, `require` and compiled CommonJS give undefined. */
const UNDEFINED_IMPORT =
  ' Probably the name of an import is misspelt, or stands in braces. A provider is the default of its module: import GitHub from "latchkey/providers/github".'

/**
 * Names the provider of the catalogue that was probably meant by a name; begins with a blank. Empty if no name is near. The
 * given name is not in the text, because it may be a secret that stands in the wrong place.
 */
export function catalogueHint(name: unknown): string {
  const near = typeof name === 'string' ? nearestName(name, CATALOGUE_NAMES) : undefined
  return near === undefined ? '' : ` Do you mean the provider "${near}"? Import it: ${importOf(near)}.`
}

/** The line that imports a provider: `import GitHub from "latchkey/providers/github"`. */
const importOf = (name: string): string =>
  `import ${name === 'github' ? 'GitHub' : identifierOf(name)} from "latchkey/providers/${name}"`

/** A name for the import: `microsoft-entra-id` → `MicrosoftEntraId`. No name of a variable begins with a digit. */
const identifierOf = (name: string): string =>
  name
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
    .replace(/^(?=\d)/, 'Provider')

/** The message for an object without an id that comes from a frequent mistake; null for every other object. */
export function missingId(made: object, entry: string): string | null {
  if ('default' in made && (typeof made.default === 'function' || typeof made.default === 'object'))
    return `${entry} is an object with a default, as of a module; ${A_PROVIDER}. Give its default: ${importOf('github')}.`
  if ('type' in made) return null
  if ('clientId' in made || 'clientSecret' in made)
    return `${entry} has options of a provider, and no id. Give the options to the function of the provider: GitHub({ clientId, clientSecret }).`
  const [name, inner] = Object.entries(made)[0] ?? []
  if (typeof inner !== 'function' || name === undefined || Object.keys(made).length > 1) return null
  return `${entry} is an object around a provider. Write the provider itself, without braces.`
}

/**
 * The providers that have a module of their own, as in `latchkey/providers/github`. A message names the one that was probably
 * meant. It is a list and not a look into the folder, because a bundle has no folders.
 */
export const CATALOGUE_NAMES: readonly string[] =
  '42-school anilist apple asgardeo atlassian auth0 authentik autodesk azure-ad azure-ad-b2c bankid-no battlenet beyondidentity bitbucket box boxyhq-saml bungie click-up cloudflare cognito coinbase concept2 credentials descope discord donation-alerts dribbble dropbox duende-identity-server6 email epic-games etsy eventbrite eveonline facebook faceit figma forwardemail foursquare freshbooks frontegg fusionauth gitea github gitlab google gumroad hubspot huggingface identity-server4 instagram intuit kakao keycloak kick kinde lichess line linear linkedin logto loops mailchimp mailgun mailru mastodon mattermost mercado-libre mercado-pago microsoft-entra-id naver netlify netsuite nextcloud nodemailer notion okta onelogin ory-hydra osu passkey password patreon paybin paypal ping-id pinterest pipedrive polar postmark railway reddit resend roblox sailpoint salesforce sendgrid shikimori simplelogin slack spotify start-gg strava synology threads tiktok tiltify todoist trakt tumblr twitch twitter united-effects vercel vipps vk webauthn webex wechat wikimedia withings wordpress workos yahoo yandex zitadel zoho zoom'.split(
    ' ',
  )

/** Members of a provider object whose types are not checked yet. */
export type Members = Record<string, unknown>
/** Those of a provider whose id and name are known. */
export type NamedMembers = Members & { id: string; name: string }

const ENDPOINTS = new Set(['authorization', 'token', 'userinfo'])

/**
 * Makes a new object of the members of a provider and of its `options`, which replace members of the same name. Object
 * literals are merged member by member, and so are instances of classes where the members are known; other values are replaced.
 * Endpoints become objects, so that an option may set parameters and keep the URL of the provider. Parameters in the URL of an
 * option replace parameters of the same name.
 *
 * Members under symbols are left out; {@link symbolMember} finds them.
 */
export function mergeProvider(provider: object): Members {
  const { options, ...own } = readInherited(provider as Members)
  const merged = mergeMembers({}, own)
  return isPlainObject(options) ? mergeMembers(merged, readInherited(options)) : merged
}

const readInherited = (members: Members) => withInherited(members, { members: NESTED_MEMBERS })

function mergeMembers(target: Members, source: Members): Members {
  // An option may be undefined, for example because a variable is unset. It is no name here, and replaces no member of the provider.
  for (const name of namesIn(source)) {
    const given = source[name]
    if (name === '__proto__') continue
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
