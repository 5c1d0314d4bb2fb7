/// <reference lib="dom" />
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'
import { ClientError, type ClientErrorCode } from './errors.js'
import { type FormResult, type Mount, readRefusal } from './mount.js'

/** One use of a passkey. */
interface Ceremony {
  readonly action: 'authenticate' | 'register'
  readonly providerId: string
  /** What the server gets about the visitor, such as `email`. */
  readonly fields: URLSearchParams
  /** Where the visitor goes afterwards. */
  readonly callbackUrl: string
  /**
   * No dialog opens. At a sign-in, the visitor chooses a passkey among the suggestions for a field; a new passkey is made
   * by the password manager that has just filled in a password.
   */
  readonly autofill: boolean
  readonly signal: AbortSignal | undefined
  /** Whether the visitor wants to stay signed in; asked after the visitor has used the passkey. */
  readonly remember: () => boolean
}

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

const AUTHENTICATE_FEATURE = 'publickey-credentials-get'
const REGISTER_FEATURE = 'publickey-credentials-create'

/** The library's codes that say more than the browser's own names. */
const LIBRARY_CODES: Readonly<Record<string, ClientErrorCode>> = {
  ERROR_CEREMONY_ABORTED: 'aborted',
  ERROR_INVALID_DOMAIN: 'not-allowed',
  ERROR_INVALID_RP_ID: 'not-allowed',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'already-registered',
  ERROR_AUTHENTICATOR_GENERAL_ERROR: 'no-authenticator',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: 'no-authenticator',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT: 'no-authenticator',
  ERROR_AUTHENTICATOR_NO_SUPPORTED_PUBKEYCREDPARAMS_ALG: 'no-authenticator',
}

/** The names that WebAuthn gives its failures: Web Authentication Level 3 §5.1.3, §5.1.4. */
const BROWSER_CODES: Readonly<Record<string, ClientErrorCode>> = {
  AbortError: 'aborted',
  ConstraintError: 'no-authenticator',
  NotReadableError: 'no-authenticator',
  NotSupportedError: 'no-authenticator',
  SecurityError: 'not-allowed',
  TimeoutError: 'timed-out',
}

/** The `error` that the server shows its pages with, for each failure. */
const SERVER_CODES: Readonly<Record<string, ClientErrorCode>> = {
  AccessDenied: 'access-denied',
  AccountNotLinked: 'account-not-linked',
  Configuration: 'server-error',
  RecentSignInRequired: 'sign-in-again',
  SessionChanged: 'session-changed',
  WebAuthnVerificationError: 'not-verified',
}

/**
 * Whether passkeys can be used here: the browser supports them, and the page is at a domain name and not at an IP
 * address.
 */
export const supportsPasskeys = (): boolean => browserSupportsWebAuthn() && !isAddress(location.hostname)

/** Whether this browser suggests passkeys for a field with `autocomplete="username webauthn"`. */
export const supportsPasskeyAutofill = async (): Promise<boolean> =>
  supportsPasskeys() && (await browserSupportsWebAuthnAutofill())

/** Web Authentication Level 3 §5.1.7. */
async function makesPasskeysByItself(): Promise<boolean> {
  const { getClientCapabilities } = PublicKeyCredential as {
    getClientCapabilities?: () => Promise<{ readonly conditionalCreate?: boolean }>
  }
  return (await getClientCapabilities?.call(PublicKeyCredential))?.conditionalCreate === true
}

/** What the server's `removePasskey` gives as `signal`. */
export interface RemovedPasskeySignal {
  readonly rpId: string
  /** Base64url. */
  readonly credentialId: string
}

/**
 * Informs the browser that a passkey was removed, so that the browser does not offer it any more. Call it with the
 * `signal` that `removePasskey` gave.
 *
 * @returns false when the browser cannot be informed; the passkey cannot be used in either case
 * @see Web Authentication Level 3 §5.1.10.1
 */
export async function forgetPasskey({ rpId, credentialId }: RemovedPasskeySignal): Promise<boolean> {
  if (!supportsPasskeys()) return false
  const { signalUnknownCredential } = PublicKeyCredential as {
    signalUnknownCredential?: (signal: RemovedPasskeySignal) => Promise<void>
  }
  if (!signalUnknownCredential) return false
  return signalUnknownCredential.call(PublicKeyCredential, { rpId, credentialId }).then(
    () => true,
    () => false,
  )
}

/**
 * Asks the server for a challenge, lets the browser answer it, and sends the answer to the server.
 *
 * @throws {ClientError} when nobody was signed in or nothing registered
 */
export async function runCeremony(mount: Mount, ceremony: Ceremony): Promise<FormResult> {
  const { action, providerId, fields, callbackUrl, remember, autofill } = ceremony
  if (!browserSupportsWebAuthn()) throw new ClientError('unsupported', 'This browser has no passkeys.')
  if (isAddress(location.hostname)) {
    throw new ClientError('not-allowed', 'Passkeys need a domain name, and this page is at an IP address.')
  }
  const url = mount.url('webauthn-options', providerId)
  for (const [name, value] of fields) if (value !== '') url.searchParams.append(name, value)
  url.searchParams.set('action', action)
  if (action === 'register' && autofill) {
    // A browser that does not know this would open a dialog.
    if (!(await makesPasskeysByItself())) throw new ClientError('unsupported', 'This browser asks for each passkey.')
    url.searchParams.set('mediation', 'conditional')
  }
  const { options } = (await mount.getJson(url).catch(failWithReason)) as {
    options: RequestOptions | CreationOptions
  }
  const answer = await askBrowser(ceremony, options)
  const form = new URLSearchParams({ action, data: JSON.stringify(answer), callbackUrl })
  if (remember()) form.set('remember', 'on')
  const result = await mount.postForm(mount.url('callback', providerId), form)
  if (result.error === null) return result
  const code = SERVER_CODES[result.error] ?? 'refused'
  throw new ClientError(code, `The server refused the passkey: ${result.error}.`)
}

/** Throws the error of a refusal, with the reason if the visitor can do something about it. */
async function failWithReason(failure: unknown): Promise<never> {
  const { message, cause, body } = await readRefusal(failure)
  throw body['error'] === 'RecentSignInRequired' ? new ClientError('sign-in-again', message, { cause }) : failure
}

/** Whether a host name is an IP address. The URL parser writes IPv4 as four numbers, and IPv6 in brackets. */
const isAddress = (hostname: string): boolean => /^\[|^\d+(?:\.\d+){3}$/.test(hostname)

async function askBrowser({ action, autofill, signal }: Ceremony, options: RequestOptions | CreationOptions) {
  const startedAt = performance.now()
  const stop = () => WebAuthnAbortService.cancelCeremony()
  if (signal?.aborted) throw new ClientError('aborted', 'The signal was aborted.')
  signal?.addEventListener('abort', stop)
  try {
    return action === 'register'
      ? await startRegistration({ optionsJSON: options as CreationOptions, useAutoRegister: autofill })
      : await startAuthentication({ optionsJSON: options as RequestOptions, useBrowserAutofill: autofill })
  } catch (cause) {
    const tookTooLong = options.timeout !== undefined && performance.now() - startedAt >= options.timeout
    throw new ClientError(codeOf(cause, action, tookTooLong), `The browser gave no answer: ${cause}`, { cause })
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

function codeOf(error: unknown, action: Ceremony['action'], tookTooLong: boolean): ClientErrorCode {
  const { name, code } = error as { name?: string; code?: unknown }
  const byLibrary = typeof code === 'string' ? LIBRARY_CODES[code] : undefined
  if (byLibrary) return byLibrary
  // Browsers use one name for several failures, so that a page does not learn whether the visitor has a passkey
  // (§14.5.1). The code is inferred from other facts.
  if (name === 'NotAllowedError') {
    if (tookTooLong) return 'timed-out'
    return isAllowedHere(action) ? 'cancelled' : 'not-allowed'
  }
  if (name === 'InvalidStateError') return action === 'register' ? 'already-registered' : 'no-authenticator'
  return (name && BROWSER_CODES[name]) || 'failed'
}

/** Whether the permissions policy allows passkeys; mostly frames are forbidden to use them. Only Chromium says so. */
function isAllowedHere(action: Ceremony['action']): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(feature: string): boolean } }
  return featurePolicy?.allowsFeature(action === 'register' ? REGISTER_FEATURE : AUTHENTICATE_FEATURE) ?? true
}

/** What the script of the sign-in page says, in the language of the page. The page has it in `data-texts`. */
export interface PasskeyTexts {
  readonly waiting: string
  readonly signedIn: string
  /** By the code of the failure; null for no text. */
  readonly signIn: Readonly<Record<ClientErrorCode, string | null>>
  /** The texts that are different when a passkey is made. */
  readonly register: Readonly<Partial<Record<ClientErrorCode, string | null>>>
}
