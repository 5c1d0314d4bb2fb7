import { isPlainObject, isRecord } from '../kernel/describe-value.js'
import { type AuthError, errorOf, InvalidProvider, MissingAuthorize } from '../kernel/errors.js'
import { isInstalled } from '../kernel/packages.js'
import { findingsOf, type Problems } from '../kernel/shape.js'
import { isAbsoluteUrl, serverUrlProblem } from '../kernel/urls.js'
import { environmentName } from './check-oauth-provider.js'
import { fetchOf, type Members, type NamedMembers, symbolMember } from './check-provider.js'
import { parseSender } from './mail/address.js'
import {
  type CredentialInput,
  type CredentialsConfig,
  customFetch,
  type MailingEmailConfig,
  type PasswordSettings,
  type ProviderSettings,
  type SimpleWebAuthnOptions,
  type WebAuthnConfig,
} from './provider-object.js'
import { WEBAUTHN_FUNCTION_NAMES, type WEBAUTHN_OPTION_NAMES } from './provider-shapes.js'

const ONE_DAY = 24 * 60 * 60
/** Seconds for which a mailed code works at most (MFA-03). */
export const MAX_CODE_SECONDS = 10 * 60

/** Resolves a credentials provider, or finds what is wrong with it. */
export function resolveCredentialsProvider(members: NamedMembers) {
  const { id, name, authorize, credentials, password } = members
  if (typeof authorize !== 'function') {
    const message = `Credentials provider "${id}" has no authorize function, so nobody could sign in. Add authorize(credentials, request).`
    return [new MissingAuthorize(message)]
  }
  return Object.freeze({
    id,
    name,
    type: 'credentials' as const,
    /** Null if it has no form on the sign-in page. */
    fields: isPlainObject(credentials)
      ? (Object.freeze(credentials) as Readonly<Record<string, CredentialInput>>)
      : null,
    authorize: authorize as CredentialsConfig['authorize'],
    /** Null where the application checks what was entered. */
    password: isPlainObject(password) ? (Object.freeze(password) as PasswordSettings) : null,
  })
}

/** A resolved credentials provider. */
export interface ResolvedCredentialsProvider
  extends Exclude<ReturnType<typeof resolveCredentialsProvider>, readonly AuthError[]> {}

/**
 * Resolves an e-mail provider, or finds what is wrong with it. It may be made by `@auth/core/providers/*`.
 *
 * @param made the object from the application or the provider's function, which has members under symbols
 * @param members the same, merged with its options
 */
export function resolveEmailProvider(made: object, members: NamedMembers, settings: ProviderSettings) {
  const apiKey = members['apiKey'] || settings.environment(members.id).apiKey
  const findings = findingsOf(
    mailProblems({ ...members, apiKey }),
    (problem) => new InvalidProvider(`E-mail provider "${members.id}" ${problem}`),
  )
  if (findings.length > 0) return findings
  const fetch = fetchOf(made)
  const source = Object.freeze({
    maxAge: members['code'] === 'only' ? MAX_CODE_SECONDS : ONE_DAY,
    confirm: 'auto' as const,
    code: false,
    // The types of the members were checked with the shapes of providers, and `mailProblems` looked for the function.
    ...(members as typeof members & MailingEmailConfig),
    ...(apiKey ? { apiKey: String(apiKey) } : {}),
    type: 'email' as const,
    ...(fetch && { [customFetch]: fetch }),
  })
  return Object.freeze({
    ...source,
    /** The first hashes tokens; links of all are accepted. Undefined if the secrets of the configuration are used. */
    secrets: secretsIn(source.secret),
    /** The merged object that `sendVerificationRequest` gets. Its functions are called as its methods. */
    source: source as MailingEmailConfig,
  })
}

/** A resolved e-mail provider. */
export interface ResolvedEmailProvider extends Exclude<ReturnType<typeof resolveEmailProvider>, readonly AuthError[]> {}

function mailProblems(members: NamedMembers): Problems {
  const { id, from, secret, sendVerificationRequest, requires, server, code, maxAge } = members
  const required = Array.isArray(requires) ? requires : []
  const hasTransport = isRecord(server) && typeof server['sendMail'] === 'function'
  const needsNodemailer = required.includes('server') && server !== undefined && !hasTransport
  const wrongUrl = typeof server === 'string' && serverUrlProblem(server)
  return [
    typeof sendVerificationRequest !== 'function' &&
      'has no sendVerificationRequest function, so no link could be sent. Add one, or use Nodemailer.',
    ...required.map((name) => !members[name] && missingOption(id, name)),
    wrongUrl && `has a \`server\` that ${wrongUrl}`,
    needsNodemailer &&
      !isInstalled('nodemailer') &&
      'sends over nodemailer, which is not installed: npm install nodemailer',
    from !== undefined &&
      (typeof from !== 'string' || !parseSender(from)) &&
      'has a `from` that is neither an address nor `Name <address>`.',
    ...(code === 'only' ? LINK_OPTIONS.filter((name) => members[name] !== undefined).map(onlyOfLinks) : []),
    code === 'only' &&
      Number(maxAge) > MAX_CODE_SECONDS &&
      `has \`code: 'only'\` and a \`maxAge\` of more than ${MAX_CODE_SECONDS} seconds, for which no code works. Leave it out.`,
    (secret === '' || (Array.isArray(secret) && secret.length === 0)) && 'has a `secret` that is empty.',
  ]
}

const missingOption = (id: string, name: string): string =>
  name === 'server'
    ? 'has neither `sendVerificationRequest` nor `server`. Give one of them as an option: your own function that sends the link, or a mail server, for nodemailer.'
    : `has no \`${name}\`. ${name === 'apiKey' ? `Set ${environmentName(id, 'KEY')}, or give it` : 'Give it'} as an option.`

/** What is about links, and so about no mail that has a code alone. */
const LINK_OPTIONS = ['confirm', 'generateVerificationToken'] as const

const onlyOfLinks = (name: string) =>
  `has \`code: 'only'\` and \`${name}\`, but its mails have no link. Leave one of them out.`

const secretsIn = (secret: MailingEmailConfig['secret']): readonly string[] | undefined =>
  typeof secret === 'string' ? [secret] : secret && Object.freeze([...secret])

/** Milliseconds. */
const TIMEOUT = { timeout: 5 * 60 * 1000 }

/**
 * Resolves a passkey provider, or finds what is wrong with it. It may be made by `@auth/core/providers/*`.
 *
 * @param made the object from the application or the provider's function, which has members under symbols
 * @param members the same, merged with its options
 */
export function resolveWebAuthnProvider(made: object, members: NamedMembers) {
  const findings = [
    ...findingsOf(
      passkeyProblems(members),
      (problem) => new InvalidProvider(`Passkey provider "${members.id}" ${problem}`),
    ),
    ...checkAutocomplete(members),
  ]
  if (findings.length > 0) return findings
  // The types of the members were checked with the shapes of providers.
  const source = Object.freeze({ ...(members as typeof members & Partial<WebAuthnConfig>), type: 'webauthn' as const })
  const options = (
    key: (typeof WEBAUTHN_OPTION_NAMES)[number],
    defaults: SimpleWebAuthnOptions = {},
  ): Readonly<SimpleWebAuthnOptions> => Object.freeze({ ...defaults, ...source[key] })
  return Object.freeze({
    ...source,
    formFields: Object.freeze({ ...source.formFields }) as Readonly<Record<string, CredentialInput>>,
    enableConditionalUI: source.enableConditionalUI ?? hasAutocomplete(members),
    /** Whether this package made it. Other passkey providers need `experimental.enableWebAuthn`. */
    isStable: symbolMember(made, 'latchkey-webauthn') === true,
    relayingParty: Object.freeze({ ...source.relayingParty }),
    authenticationOptions: options('authenticationOptions', TIMEOUT),
    registrationOptions: options('registrationOptions', TIMEOUT),
    verifyAuthenticationOptions: options('verifyAuthenticationOptions'),
    verifyRegistrationOptions: options('verifyRegistrationOptions'),
    /** The merged object. Its hooks are called as its methods. */
    source: source as WebAuthnConfig,
  })
}

/** A resolved passkey provider. */
export interface ResolvedWebAuthnProvider
  extends Exclude<ReturnType<typeof resolveWebAuthnProvider>, readonly AuthError[]> {}

function passkeyProblems(members: Members): Problems {
  const { simpleWebAuthnBrowserVersion: version = false, simpleWebAuthn, relayingParty } = members
  const functions = simpleWebAuthn as Members | null | undefined
  const missing = WEBAUTHN_FUNCTION_NAMES.filter((name) => typeof functions?.[name] !== 'function')
  return [
    version !== false &&
      !isVersion(version) &&
      'has a `simpleWebAuthnBrowserVersion` that is neither false nor a version such as "v9.0.1". Leave it out.',
    functions === undefined
      ? !isInstalled('@simplewebauthn/server') &&
        'needs @simplewebauthn/server, which is not installed: npm install @simplewebauthn/server'
      : missing.length > 0 && `has a \`simpleWebAuthn\` without ${missing.join(', ')}.`,
    ...(isPlainObject(relayingParty) ? problemsOfParty(relayingParty) : []),
  ]
}

const problemsOfParty = ({ id, name, origin }: Members): Problems => [
  !textsOf(id)?.every((text) => /^[a-z0-9.-]+$/.test(text)) &&
    'has a `relayingParty.id` that is not a domain. Give it without scheme and port: "app.example".',
  !textsOf(name) && 'has a `relayingParty.name` that is not a string.',
  !textsOf(origin)?.every(isOrigin) &&
    'has a `relayingParty.origin` that is not an origin. Give it without path and trailing slash: "https://app.example".',
]

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

function checkAutocomplete(members: Members): AuthError[] {
  if (members['enableConditionalUI'] !== true || hasAutocomplete(members)) return []
  const message = `Passkey provider "${members['id']}" has conditional UI, but no form field with autocomplete="webauthn". Add one to \`formFields\`, or set enableConditionalUI: false.`
  return [new MissingWebAuthnAutocomplete(message)]
}

/** Browsers offer passkeys only at a form field whose `autocomplete` has the word `webauthn`. */
function hasAutocomplete({ formFields }: Members): boolean {
  const fields = isPlainObject(formFields) ? Object.values(formFields) : []
  return fields.some((field) => isPlainObject(field) && String(field['autocomplete'] ?? '').includes('webauthn'))
}

/** A passkey form has no field with `autocomplete="webauthn"`, where browsers offer passkeys. */
export class MissingWebAuthnAutocomplete extends errorOf('MissingWebAuthnAutocomplete') {}
