import { parseUrl } from '../kernel/urls.js'
import type { ResolvedOAuthProvider } from '../providers/provider.js'
import { ProviderFault, UnusableAnswer } from './faults.js'
import { shown } from './provider-words.js'

const TENANT = '{tenantid}'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The provider answered with the metadata of another issuer than the configured issuer. */
export class AnotherIssuer extends ProviderFault {}

/** Whether an issuer is a template for the issuers of many tenants, as at Microsoft's shared endpoints. */
export const isTenantTemplate = (issuer: string): boolean => issuer.includes(TENANT)

/** The issuer of one tenant. Null unless the tenant is a UUID, so that a claim cannot choose the URL. */
export const issuerOfTenant = (template: string, tenant: unknown): string | null =>
  typeof tenant === 'string' && UUID.test(tenant) ? template.replace(TENANT, tenant) : null

/**
 * The issuer that everything of this provider is compared with, byte for byte.
 *
 * The metadata must name the configured issuer. Two differences are accepted: the slash of an empty path, which URL
 * parsers add; and the template that endpoints for many tenants name, where the configuration names no single tenant. A
 * configured template stands for the one tenant that the metadata name.
 *
 * @throws {AnotherIssuer} when the metadata is another issuer's; {@link ProviderFault} when it names none
 * @see OpenID Connect Discovery 1.0 §4.3
 */
export function agreeOnIssuer(provider: ResolvedOAuthProvider, announced: unknown): string {
  const configured = provider.issuer
  if (typeof announced !== 'string' || announced === '') {
    throw new ProviderFault(`Provider "${provider.id}": its metadata names no issuer.`)
  }
  if (configured === undefined || announced === configured) return announced
  if (isTenantTemplate(configured) && fitsTemplate(configured, announced)) return announced
  if (isEmptyPathVariant(configured, announced) || isEmptyPathVariant(announced, configured)) return announced
  if (isTenantTemplate(announced)) {
    const [before = '', after = ''] = announced.split(TENANT)
    const tenant = configured.slice(before.length, configured.length - after.length)
    const fits = configured.startsWith(before) && configured.endsWith(after) && /^[\w.-]+$/.test(tenant)
    if (fits) return UUID.test(tenant) ? configured : announced
  }
  throw new AnotherIssuer(
    `Provider "${provider.id}": its metadata is of the issuer ${shown(announced)}, configured is ${shown(configured)}. They must be the same, letter by letter.${twoNamesHint(provider, announced)}`,
  )
}

/** What to do if the provider has one name for browsers and another one for this application, as in containers. */
function twoNamesHint({ issuer = '', discoveryUrl }: ResolvedOAuthProvider, announced: string): string {
  const isOtherHost = parseUrl(announced)?.host !== parseUrl(issuer)?.host
  return discoveryUrl && isOtherHost && parseUrl(announced) !== null
    ? ` If that is the name by which browsers know this provider, set issuer to it, and wellKnown: "${discoveryUrl.href}".`
    : ''
}

const isEmptyPathVariant = (short: string, long: string) =>
  long === `${short}/` && parseUrl(short)?.pathname === '/' && !/[?#]/.test(short)

/**
 * Checks the `iss` parameter of an answer, of errors as well, so that one provider's answer cannot pass for another's.
 *
 * Plain OAuth without a configured issuer has nothing to compare with; there the parameter is ignored.
 *
 * @throws {UnusableAnswer} when it is wrong, or absent though the metadata promises it
 * @see RFC 9207 §2.4
 */
export function checkIssuerParameter(
  provider: ResolvedOAuthProvider,
  received: string | null,
  { issuer, isPromised }: { readonly issuer: string | null; readonly isPromised: boolean },
): void {
  if (issuer === null) return
  if (received === null) {
    if (!isPromised) return
    throw new UnusableAnswer(
      `Provider "${provider.id}": the answer has no iss parameter, which the provider's metadata promises. If a setting of the client there leaves it out, switch that off.`,
    )
  }
  if (!isIssuer(issuer, received)) {
    throw new UnusableAnswer(
      `Provider "${provider.id}": the answer's iss parameter is not ${shown(issuer)}. It is of another issuer.`,
    )
  }
}

/** Whether a text is the issuer of a provider, or of one of its tenants. */
export const isIssuer = (issuer: string, received: string): boolean =>
  isTenantTemplate(issuer) ? fitsTemplate(issuer, received) : received === issuer

function fitsTemplate(template: string, received: string): boolean {
  const [before = '', after = ''] = template.split(TENANT)
  return issuerOfTenant(template, received.slice(before.length, received.length - after.length)) === received
}
