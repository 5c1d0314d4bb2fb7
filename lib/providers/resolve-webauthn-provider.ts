import { isPlainObject } from '../kernel/describe-value.js'
import type { ErrorType } from '../kernel/error-rules.js'
import { AuthError } from '../kernel/errors.js'
import type { Finding } from '../kernel/finding.js'
import { isInstalled } from '../kernel/packages.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { type Members, symbolMember } from './merge-provider.js'
import type { ResolvedWebAuthnProvider, SimpleWebAuthnOptions, WebAuthnConfig } from './provider.js'

/** Key of a marker on providers that this package made. A copy of one, such as `{ ...Passkey(), id: 'key' }`, has it too. */
export const ownEntry: unique symbol = Symbol('latchkey-webauthn')

const FUNCTIONS = [
  'generateAuthenticationOptions',
  'generateRegistrationOptions',
  'verifyAuthenticationResponse',
  'verifyRegistrationResponse',
] as const
const OPTIONS = [
  'authenticationOptions',
  'registrationOptions',
  'verifyAuthenticationOptions',
  'verifyRegistrationOptions',
] as const
const DEFAULT_TIMEOUT_MS = 5 * 60 * 1000

/**
 * Resolves a passkey provider, or finds what is wrong with it. It may be made by `@auth/core/providers/*`.
 *
 * @param made the object from the application or the provider's function, which has members under symbols
 * @param members the same, merged with its options
 */
export function resolveWebAuthnProvider(
  made: object,
  members: Members & { id: string },
): { readonly provider: ResolvedWebAuthnProvider | null; readonly findings: readonly Finding[] } {
  const { id } = members
  const findings = [
    ...problemsOf(members).map(
      (problem): Finding => ({ type: 'InvalidProvider', message: `Passkey provider "${id}" ${problem}` }),
    ),
    ...checkAutocomplete(members),
  ]
  if (findings.length > 0) return { provider: null, findings }
  const name = typeof members['name'] === 'string' ? members['name'] : id
  // The types of the members were checked with the shapes of providers.
  const own = members as Partial<WebAuthnConfig>
  const source: WebAuthnConfig = Object.freeze({ ...own, id, name, type: 'webauthn' })
  const options = (key: (typeof OPTIONS)[number]): SimpleWebAuthnOptions => Object.freeze({ ...source[key] })
  const provider: ResolvedWebAuthnProvider = Object.freeze({
    id,
    name,
    type: 'webauthn',
    formFields: Object.freeze({ ...source.formFields }) as ResolvedWebAuthnProvider['formFields'],
    enableConditionalUI: source.enableConditionalUI ?? hasAutocomplete(members),
    isStable: symbolMember(made, ownEntry.description ?? '') === true,
    relayingParty: Object.freeze({ ...source.relayingParty }),
    authenticationOptions: Object.freeze({ timeout: DEFAULT_TIMEOUT_MS, ...options('authenticationOptions') }),
    registrationOptions: Object.freeze({ timeout: DEFAULT_TIMEOUT_MS, ...options('registrationOptions') }),
    verifyAuthenticationOptions: options('verifyAuthenticationOptions'),
    verifyRegistrationOptions: options('verifyRegistrationOptions'),
    simpleWebAuthn: source.simpleWebAuthn,
    source,
  })
  return { provider, findings }
}

function problemsOf(members: Members): string[] {
  const { simpleWebAuthnBrowserVersion: version, simpleWebAuthn, relayingParty } = members
  const problems: string[] = []
  if (version !== undefined && version !== false && !isVersion(version)) {
    problems.push(
      'has a `simpleWebAuthnBrowserVersion` that is neither false nor a version such as "v9.0.1". Leave it out.',
    )
  }
  if (simpleWebAuthn === undefined) {
    const isThere = isInstalled('@simplewebauthn/server')
    if (!isThere)
      problems.push('needs @simplewebauthn/server, which is not installed: npm install @simplewebauthn/server')
  } else {
    const functions = simpleWebAuthn as Members | null
    const missing = FUNCTIONS.filter((name) => typeof functions?.[name] !== 'function')
    if (missing.length > 0) problems.push(`has a \`simpleWebAuthn\` without ${missing.join(', ')}.`)
  }
  if (isPlainObject(relayingParty)) problems.push(...problemsOfParty(relayingParty))
  return problems
}

function problemsOfParty({ id, name, origin }: Members): string[] {
  const problems: string[] = []
  if (!textsOf(id)?.every((text) => /^[a-z0-9.-]+$/.test(text))) {
    problems.push('has a `relayingParty.id` that is not a domain. Give it without scheme and port: "app.example".')
  }
  if (!textsOf(name)) problems.push('has a `relayingParty.name` that is not a string.')
  if (!textsOf(origin)?.every(isOrigin)) {
    problems.push(
      'has a `relayingParty.origin` that is not an origin. Give it without path and trailing slash: "https://app.example".',
    )
  }
  return problems
}

/** A string or a list of strings, as a list; undefined gives an empty list. Null for any other value. */
function textsOf(value: unknown): string[] | null {
  if (value === undefined) return []
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.length > 0 && list.every((text) => typeof text === 'string' && text !== '') ? (list as string[]) : null
}

/** Origins are compared as strings, so they must have their normal form. Origins of Android apps have another form. */
const isOrigin = (text: string): boolean =>
  text.startsWith('android:') || (isAbsoluteUrl(text) && new URL(text).origin === text)

const isVersion = (version: unknown): boolean => typeof version === 'string' && /^v\d+(\.\d+){0,2}$/.test(version)

function checkAutocomplete(members: Members): Finding[] {
  if (members['enableConditionalUI'] !== true || hasAutocomplete(members)) return []
  const message = `Passkey provider "${members['id']}" has conditional UI, but no form field with autocomplete="webauthn". Add one to \`formFields\`, or set enableConditionalUI: false.`
  return [{ type: 'MissingWebAuthnAutocomplete', Kind: MissingWebAuthnAutocomplete, message }]
}

/** Browsers offer passkeys only at a form field whose `autocomplete` has the word `webauthn`. */
function hasAutocomplete({ formFields }: Members): boolean {
  const fields = isPlainObject(formFields) ? Object.values(formFields) : []
  return fields.some((field) => isPlainObject(field) && String(field['autocomplete'] ?? '').includes('webauthn'))
}

/** A passkey form has no field with `autocomplete="webauthn"`, where browsers offer passkeys. */
export class MissingWebAuthnAutocomplete extends AuthError {
  static override readonly type: ErrorType = 'MissingWebAuthnAutocomplete'
}
