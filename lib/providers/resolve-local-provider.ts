import { isPlainObject, isRecord } from '../kernel/describe-value.js'
import { AuthError, type ErrorType } from '../kernel/errors.js'
import { isInstalled } from '../kernel/packages.js'
import type { Finding } from '../kernel/shape.js'
import { isAbsoluteUrl, serverUrlProblem } from '../kernel/urls.js'
import { environmentName } from './check-oauth-provider.js'
import { fetchIn, type Members, symbolMember } from './check-provider.js'
import { parseSender } from './mail/address.js'
import {
  customFetch,
  type MailingEmailConfig,
  type ProviderSettings,
  type Resolution,
  type ResolvedEmailProvider,
  type ResolvedWebAuthnProvider,
  type SimpleWebAuthnOptions,
  type WebAuthnConfig,
} from './provider.js'

const ONE_DAY = 24 * 60 * 60

/**
 * Resolves an e-mail provider, or finds what is wrong with it. It may be made by `@auth/core/providers/*`.
 *
 * @param made the object from the application or the provider's function, which has members under symbols
 * @param members the same, merged with its options
 */
export function resolveEmailProvider(
  made: object,
  members: Members & { id: string },
  settings: ProviderSettings,
): Resolution<ResolvedEmailProvider> {
  const apiKey = members['apiKey'] || settings.environment(members.id).apiKey
  const filled = { maxAge: ONE_DAY, confirm: 'auto', ...members, ...(apiKey ? { apiKey } : {}) }
  const findings = mailProblems(filled).map(
    (problem): Finding => ({ type: 'InvalidProvider', message: `E-mail provider "${members.id}" ${problem}` }),
  )
  if (findings.length > 0) return { provider: null, findings }
  const fetch = fetchIn((made as Members).options) ?? fetchIn(made)
  const source: MailingEmailConfig = Object.freeze({
    // The types of the members were checked with the shapes of providers, and `mailProblems` looked for the function.
    ...(filled as typeof filled & MailingEmailConfig),
    name: typeof members['name'] === 'string' ? members['name'] : members.id,
    type: 'email',
    ...(fetch && { [customFetch]: fetch }),
  })
  const provider: ResolvedEmailProvider = Object.freeze({
    id: members.id,
    name: source.name,
    type: 'email',
    maxAge: source.maxAge ?? ONE_DAY,
    secrets: secretsIn(source.secret),
    confirm: source.confirm ?? 'auto',
    source,
  })
  return { provider, findings }
}

function mailProblems(members: Members & { id: string }): string[] {
  const { id, from, secret, sendVerificationRequest, requires, server } = members
  const problems: string[] = []
  if (typeof sendVerificationRequest !== 'function') {
    problems.push('has no sendVerificationRequest function, so no link could be sent. Add one, or use Nodemailer.')
  }
  for (const name of Array.isArray(requires) ? requires : []) {
    if (members[name]) continue
    if (name === 'server') {
      problems.push(
        'has neither `sendVerificationRequest` nor `server`. Give one of them as an option: your own function that sends the link, or a mail server, for nodemailer.',
      )
      continue
    }
    problems.push(
      `has no \`${name}\`. ${name === 'apiKey' ? `Set ${environmentName(id, 'KEY')}, or give it` : 'Give it'} as an option.`,
    )
  }
  const wrongUrl = typeof server === 'string' ? serverUrlProblem(server) : null
  if (wrongUrl !== null) problems.push(`has a \`server\` that ${wrongUrl}`)
  const needsNodemailer = Array.isArray(requires) && requires.includes('server') && typeof server !== 'undefined'
  if (
    needsNodemailer &&
    !(isRecord(server) && typeof server['sendMail'] === 'function') &&
    !isInstalled('nodemailer')
  ) {
    problems.push('sends over nodemailer, which is not installed: npm install nodemailer')
  }
  if (from !== undefined && (typeof from !== 'string' || !parseSender(from))) {
    problems.push('has a `from` that is neither an address nor `Name <address>`.')
  }
  if (secret === '' || (Array.isArray(secret) && secret.length === 0)) problems.push('has a `secret` that is empty.')
  return problems
}

const secretsIn = (secret: MailingEmailConfig['secret']): readonly string[] | undefined =>
  typeof secret === 'string' ? [secret] : secret && Object.freeze([...secret])

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
): Resolution<ResolvedWebAuthnProvider> {
  const { id } = members
  const findings = [
    ...passkeyProblems(members).map(
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
    isStable: symbolMember(made, 'latchkey-webauthn') === true,
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

function passkeyProblems(members: Members): string[] {
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
