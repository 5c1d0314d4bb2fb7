import { RequestRefused } from '../kernel/errors.js'
import { nearestName } from '../kernel/nearest-name.js'
import { parseReturnTarget } from '../kernel/return-target.js'
import { INVITED, OTHERWISE, withParams } from '../pages/action-urls.js'
import { CODE_FIELD } from '../pages/form-field.js'
import { isOAuthProvider, type ResolvedProvider } from '../providers/provider.js'
import type { Config } from './config.js'
import type { Visit } from './visit.js'

/** Parameters of the authorization request, beside those of the provider's configuration. */
export type AuthorizationParams = string | string[][] | Readonly<Record<string, string>> | URLSearchParams

/** Which form of the mount is meant. */
interface SignInForm {
  /** Id of the provider; without one, the form leads to the sign-in page. */
  readonly provider: string | null | undefined
  readonly authorizationParams: AuthorizationParams | undefined
  readonly fields?: object | undefined
}

/**
 * Path and query to which the form of a provider is posted. With credentials and with a mailed code, that is the end of the
 * sign-in already.
 *
 * @throws {RequestRefused} 404 when there is no such provider
 */
export function signInTarget(
  { providers, basePath }: Pick<Config, 'providers' | 'basePath'>,
  { provider, authorizationParams, fields = {} }: SignInForm,
): string {
  const query = queryOf(authorizationParams)
  // An empty field of a form, or one that is not there, names no provider.
  if (!provider) return `${basePath}/signin${query}`
  const configured = providers.get(provider)
  if (!configured) throw noProvider(provider, providers)
  const ends = configured.type === 'credentials' || (configured.type === 'email' && CODE_FIELD in fields)
  const action = ends ? 'callback' : 'signin'
  return `${basePath}/${action}/${encodeURIComponent(provider)}${query}`
}

/** The refusal of a request for a provider that the configuration does not have. The ids of providers are public. */
export function noProvider(id: string, providers: Config['providers']): RequestRefused {
  const ids = [...providers.keys()]
  const near = nearestName(id, ids)
  const known = ids.length === 0 ? '' : ` The ids are: ${ids.map((each) => JSON.stringify(each)).join(', ')}.`
  const hint = near === undefined ? known : ` Did you mean ${JSON.stringify(near)}?`
  return new RequestRefused(404, `There is no provider ${JSON.stringify(id)}.${hint}`)
}

function queryOf(params: AuthorizationParams | undefined): string {
  const query = new URLSearchParams(params as ConstructorParameters<typeof URLSearchParams>[0]).toString()
  return query === '' ? '' : `?${query}`
}

/**
 * The page of this origin that a request came from; `home` where there is none.
 *
 * @param referer the header
 * @param origin the public origin; null when it is not known
 */
export function refererOf(referer: string | null | undefined, origin: string | null, home = '/'): string {
  const page = origin === null ? null : parseReturnTarget(referer, origin)
  return page?.href ?? home
}

/** Whether a sign-in begins at an address without TLS. */
export const leadsToHttp = (provider: ResolvedProvider) =>
  isOAuthProvider(provider) &&
  (provider.authorization.url?.protocol === 'http:' || provider.discoveryUrl?.protocol === 'http:')

/** The sign-in page, which keeps the return target of the request, and who is invited. */
export async function signInPageWithTarget(visit: Visit): Promise<string> {
  const { urls, origin } = visit
  const target = await visit.returnTarget()
  const callbackUrl = target === origin ? undefined : target
  const invited = visit.query.get(INVITED)
  const keeping = invited === null ? {} : { [INVITED]: invited, [OTHERWISE]: '' }
  return withParams(urls.action('signin'), { callbackUrl, ...keeping }, origin)
}
