/// <reference lib="dom" />
// The only script of the built-in sign-in page. It works with the form of views/partials/webauthn.eta.
import { createClient, type SignInWithPasskeyOptions } from './client.js'
import { ClientError, type ClientErrorCode } from './client-error.js'
import { supportsPasskeyAutofill, supportsPasskeys } from './passkeys.js'

const CANCELLED = 'That was cancelled, or there is no passkey for this site on this device. You can try again.'
const FAILED = 'That did not work. Please try again, or sign in another way.'
const OFFLINE = 'We cannot be reached right now. Check your connection and try again.'
const SERVER = 'Something went wrong on our side. Please try again later.'

/** The text that a visitor sees for each code; null for no text. */
const MESSAGES: Readonly<Record<ClientErrorCode, string | null>> = {
  aborted: null,
  'access-denied': 'That worked, but this account has no access here.',
  'account-not-linked': 'There is an account with that e-mail address already. Sign in the way that you used before.',
  'already-registered': 'This device has a passkey for you already. Use it to sign in.',
  cancelled: CANCELLED,
  failed: FAILED,
  'no-authenticator': 'This device cannot do that. Try another device, or a security key.',
  'not-allowed': 'Your browser does not allow passkeys on this page.',
  // Only a sign-out can fail with this code, and this page has no sign-out.
  'last-way-in': null,
  'not-ended': null,
  'not-verified': 'We do not know that passkey, or could not verify it. Try another passkey, or sign in another way.',
  offline: OFFLINE,
  refused: FAILED,
  'server-error': SERVER,
  'sign-in-again': 'You signed in a while ago. Please sign in again, and then add the passkey.',
  'session-changed': 'You or somebody else has signed in or out in this browser meanwhile. Please load the page again.',
  'timed-out': 'That took too long. Please try again.',
  'unknown-provider': SERVER,
  unsupported: 'This browser does not support passkeys.',
}

/** The texts that are different when a passkey is made. */
const REGISTER_MESSAGES: Partial<Record<ClientErrorCode, string>> = {
  cancelled: 'That was cancelled, and no passkey was made. You can try again.',
  refused:
    'We cannot create an account for that address. If you already have an account, sign in the way that you used before.',
}

/** A challenge expires, so the suggestions are requested again before it does. */
const RENEW_AFTER_MILLISECONDS = 4 * 60 * 1000

/** Makes the passkey form of the sign-in page work. */
function start(form: HTMLFormElement): void {
  const part = (name: string) => form.querySelector<HTMLElement>(`[data-${name}]`)
  const alert = part('alert')
  const status = part('status')
  const buttons = form.querySelectorAll('button')
  const rest = status?.textContent ?? ''
  const providerId = form.dataset['passkey'] ?? ''
  const basePath = new URL(form.action).pathname.replace(/\/callback\/[^/]*$/, '')
  const client = createClient({ basePath })
  let isBusy = false
  let isLeaving = false

  const say = (message: string | null) => {
    if (!alert) return
    const text = alert.querySelector('p')
    if (text) text.textContent = message ?? ''
    alert.hidden = message === null
  }

  const setBusy = (busy: boolean, text = rest) => {
    isBusy = busy
    form.setAttribute('aria-busy', String(busy))
    // The buttons are not disabled: when a dialog closes, the focus returns to its button, and a disabled button cannot
    // have the focus.
    for (const button of buttons) button.setAttribute('aria-disabled', String(busy))
    if (status) status.textContent = text
  }

  // The visitor may tick the checkbox after the page has asked for suggestions.
  const remember = () => form.querySelector<HTMLInputElement>('[name="remember"]')?.checked ?? false

  const options = (): SignInWithPasskeyOptions => {
    const {
      csrfToken: _csrf,
      remember: _remember,
      callbackUrl,
      ...fields
    } = Object.fromEntries(new FormData(form)) as Record<string, string>
    return { providerId, fields, remember, redirectTo: callbackUrl ?? location.href, redirect: false }
  }

  const leave = (url: string) => {
    isLeaving = true
    setBusy(true, 'You are signed in. One moment…')
    location.assign(url)
  }

  const fail = (error: unknown, messages: Partial<Record<ClientErrorCode, string | null>>) => {
    const code = error instanceof ClientError ? error.code : 'failed'
    setBusy(false)
    say(messages[code] ?? MESSAGES[code])
  }

  /** Runs a ceremony that the visitor asked for with a button. */
  const run = async (action: 'signInWithPasskey' | 'registerPasskey') => {
    if (isBusy || isLeaving) return
    // The request of the suggestions for a challenge may still be under way. Its answer would end this ceremony.
    suggesting?.abort()
    say(null)
    setBusy(true, 'Waiting for your passkey…')
    try {
      leave((await client[action](options())).url)
    } catch (error) {
      fail(error, action === 'registerPasskey' ? REGISTER_MESSAGES : {})
      void suggest()
    }
  }

  let suggesting: AbortController | undefined

  /** Waits until the visitor chooses a passkey among the suggestions for the field. */
  const suggest = async () => {
    if (form.dataset['autofill'] === undefined || !(await supportsPasskeyAutofill())) return
    const mine = new AbortController()
    suggesting?.abort()
    suggesting = mine
    const renewal = setTimeout(() => renew(mine), RENEW_AFTER_MILLISECONDS)
    try {
      const { url } = await client.signInWithPasskey({ ...options(), fields: {}, autofill: true, signal: mine.signal })
      leave(url)
    } catch (error) {
      const code = error instanceof ClientError ? error.code : 'failed'
      // The page started this ceremony, not the visitor. So only failures after a choice of the visitor are shown.
      if (suggesting !== mine || isBusy || isLeaving || code === 'aborted') return
      if (code === 'not-verified' || code === 'access-denied' || code === 'account-not-linked') {
        fail(error, {})
        void suggest()
      }
    } finally {
      clearTimeout(renewal)
    }
  }

  const renew = (mine: AbortController) => {
    if (suggesting !== mine || isBusy || isLeaving) return
    if (document.visibilityState === 'visible') void suggest()
    else document.addEventListener('visibilitychange', () => renew(mine), { once: true })
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run('signInWithPasskey')
  })
  part('register')?.addEventListener('click', () => {
    if (form.reportValidity()) void run('registerPasskey')
  })
  // While the form was hidden, no field of it could get the focus.
  if (document.activeElement === document.body) form.querySelector<HTMLElement>('[autofocus]')?.focus()
  void suggest()
}

const isSupported = supportsPasskeys()
for (const element of document.querySelectorAll<HTMLElement>('[data-needs-passkeys]')) element.hidden = !isSupported
for (const element of document.querySelectorAll<HTMLElement>('[data-without-passkeys]')) element.hidden = isSupported
if (isSupported) for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) start(form)
