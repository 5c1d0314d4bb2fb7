/// <reference lib="dom" />
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'
import { ClientError, type ClientErrorCode } from './client-error.js'
import type { FormResult, Mount } from './mount.js'

/** One use of a passkey. */
export interface Ceremony {
  readonly action: 'authenticate' | 'register'
  readonly providerId: string
  /** What the server is told of the visitor, such as `email`. */
  readonly fields: URLSearchParams
  /** Where the visitor goes afterwards. */
  readonly callbackUrl: string
  /** Waits until the visitor picks a passkey among the suggestions for a field, instead of opening a dialog. */
  readonly autofill: boolean
  readonly signal: AbortSignal | undefined
}

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

const AUTHENTICATE_FEATURE = 'publickey-credentials-get'
const REGISTER_FEATURE = 'publickey-credentials-create'

/** What the library calls things by, where the browser's own name for it says less. */
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

/** What the server calls a failure, as it is named on its pages. */
const SERVER_CODES: Readonly<Record<string, ClientErrorCode>> = {
  AccessDenied: 'access-denied',
  AccountNotLinked: 'account-not-linked',
  Configuration: 'server-error',
  RecentSignInRequired: 'sign-in-again',
  SessionChanged: 'session-changed',
  WebAuthnVerificationError: 'not-verified',
}

/** Whether passkeys can be used here: the browser has them, and the page is at a domain name, since no passkey is for an IP address. */
export const supportsPasskeys = (): boolean => browserSupportsWebAuthn() && !isAddress(location.hostname)

/** Whether this browser suggests passkeys for a field with `autocomplete="username webauthn"`. */
export const supportsPasskeyAutofill = async (): Promise<boolean> =>
  supportsPasskeys() && (await browserSupportsWebAuthnAutofill())

/** What the server's `removePasskey` gives as `signal`. */
export interface RemovedPasskeySignal {
  readonly rpId: string
  /** Base64url. */
  readonly credentialId: string
}

/**
 * Tells the browser that a passkey was removed, so that it is offered no more. Call it with what `removePasskey` gave.
 *
 * @returns false where the browser cannot be told; the passkey is worthless all the same
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
 * Asks the server for a challenge, the browser for an answer, and the server for its verdict.
 *
 * @throws {ClientError} when nobody was signed in or nothing registered
 */
export async function runCeremony(mount: Mount, ceremony: Ceremony): Promise<FormResult> {
  const { action, providerId, fields, callbackUrl } = ceremony
  if (!browserSupportsWebAuthn()) throw new ClientError('unsupported', 'This browser has no passkeys.')
  if (isAddress(location.hostname)) {
    throw new ClientError('not-allowed', 'Passkeys need a domain name, and this page is at an IP address.')
  }
  const url = mount.url('webauthn-options', providerId)
  for (const [name, value] of fields) if (value !== '') url.searchParams.append(name, value)
  url.searchParams.set('action', action)
  const { options } = await askServer(mount, url)
  const answer = await askBrowser(ceremony, options)
  const form = new URLSearchParams({ action, data: JSON.stringify(answer), callbackUrl })
  const result = await mount.postForm(mount.url('callback', providerId), form)
  if (result.error === null) return result
  const code = SERVER_CODES[result.error] ?? 'refused'
  throw new ClientError(code, `The server refused the passkey: ${result.error}.`)
}

/** What the browser is asked with. A refusal says why, where the visitor can do something about it. */
async function askServer(mount: Mount, url: URL): Promise<{ options: RequestOptions | CreationOptions }> {
  try {
    return (await mount.getJson(url)) as { options: RequestOptions | CreationOptions }
  } catch (error) {
    if (!(error instanceof ClientError) || !(error.cause instanceof Response)) throw error
    const told = (await error.cause.json().catch(() => null)) as { error?: unknown } | null
    const code = told?.error === 'RecentSignInRequired' ? 'sign-in-again' : error.code
    throw new ClientError(code, error.message, { cause: error.cause })
  }
}

/** The URL parser has made any IPv4 address four numbers, and put an IPv6 one in brackets. */
const isAddress = (hostname: string): boolean => /^\[|^\d+(?:\.\d+){3}$/.test(hostname)

async function askBrowser({ action, autofill, signal }: Ceremony, options: RequestOptions | CreationOptions) {
  const startedAt = performance.now()
  const stop = () => WebAuthnAbortService.cancelCeremony()
  if (signal?.aborted) throw new ClientError('aborted', 'The signal was aborted.')
  signal?.addEventListener('abort', stop)
  try {
    return action === 'register'
      ? await startRegistration({ optionsJSON: options as CreationOptions })
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
  // One name for everything that must not tell a page whether the visitor has a passkey (§14.5.1), so the rest is inferred.
  if (name === 'NotAllowedError') {
    if (tookTooLong) return 'timed-out'
    return isAllowedHere(action) ? 'cancelled' : 'not-allowed'
  }
  if (name === 'InvalidStateError') return action === 'register' ? 'already-registered' : 'no-authenticator'
  return (name && BROWSER_CODES[name]) || 'failed'
}

/** A permissions policy can forbid passkeys, in a frame above all. Only Chromium tells. */
function isAllowedHere(action: Ceremony['action']): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(feature: string): boolean } }
  return featurePolicy?.allowsFeature(action === 'register' ? REGISTER_FEATURE : AUTHENTICATE_FEATURE) ?? true
}
