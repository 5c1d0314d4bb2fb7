/// <reference lib="dom" />
import { createClient, type SignInWithPasskeyOptions } from './client.js'
import { ClientError } from './errors.js'
import { type PasskeyTexts, supportsPasskeyAutofill, supportsPasskeys } from './passkeys.js'

/** A challenge expires, so the suggestions are requested again before it does. */
const RENEW_AFTER_MILLISECONDS = 4 * 60 * 1000

/** What a visitor does who goes on: most come to the field with the pointer, and the suggestions should be there by then. */
const ACTS = ['pointermove', 'pointerdown', 'keydown']

/** Makes the passkey form of the sign-in page work. */
function start(form: HTMLFormElement): void {
  const part = (name: string) => form.querySelector<HTMLElement>(`[data-${name}]`)
  const alert = part('alert')
  const status = part('status')
  const buttons = [...form.elements].filter((each) => each instanceof HTMLButtonElement)
  const rest = status?.textContent ?? ''
  const texts = JSON.parse(form.dataset['texts'] ?? '') as PasskeyTexts
  const providerId = form.dataset['passkey'] ?? ''
  const basePath = new URL(form.action).pathname.replace(/\/(?:callback|signin)\/[^/]*$/, '')
  // Other ways to sign in may share the form. Their fields, such as a password, are none of the passkey.
  const names = form.dataset['fields']?.split(' ')
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
  const remember = () => {
    const field = form.querySelector<HTMLInputElement>('[name="remember"]')
    return field?.type === 'hidden' || (field?.checked ?? false)
  }

  const options = (): SignInWithPasskeyOptions => {
    const {
      csrfToken: _csrf,
      remember: _remember,
      callbackUrl,
      ...fields
    } = Object.fromEntries(new FormData(form)) as Record<string, string>
    const own = names ? Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name))) : fields
    return { providerId, fields: own, remember, redirectTo: callbackUrl ?? location.href, redirect: false }
  }

  const leave = (url: string) => {
    isLeaving = true
    setBusy(true, texts.signedIn)
    location.assign(url)
  }

  const fail = (error: unknown, messages: PasskeyTexts['register']) => {
    const code = error instanceof ClientError ? error.code : 'failed'
    setBusy(false)
    say(messages[code] ?? texts.signIn[code])
  }

  /** Runs a ceremony that the visitor asked for with a button. */
  const run = async (action: 'signInWithPasskey' | 'registerPasskey') => {
    if (isBusy || isLeaving) return
    // The request of the suggestions for a challenge may still be under way. Its answer would end this ceremony.
    suggesting?.abort()
    say(null)
    setBusy(true, texts.waiting)
    try {
      leave((await client[action](options())).url)
    } catch (error) {
      fail(error, action === 'registerPasskey' ? texts.register : {})
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
        // An authenticator that needs nobody would answer again at once, and so without end.
        for (const act of ACTS)
          document.addEventListener(act, () => void suggest(), { once: true, signal: mine.signal })
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

  const useButton = part('use')
  if (useButton) useButton.addEventListener('click', () => void run('signInWithPasskey'))
  else
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void run('signInWithPasskey')
    })
  // It stands with the other ways to sign up, below all forms.
  const registerButton = buttons.find(({ dataset }) => dataset['register'] !== undefined)
  registerButton?.addEventListener('click', () => {
    const inputs = [...form.querySelectorAll('input')].filter(({ name }) => !names || names.includes(name))
    if (inputs.every((input) => input.reportValidity())) void run('registerPasskey')
  })
  // While the form was hidden, no field of it could get the focus.
  if (document.activeElement === document.body) form.querySelector<HTMLElement>('[autofocus]')?.focus()
  void suggest()
}

/** Makes the built-in sign-in page work. It has the form of views/partials/webauthn.eta. */
export function startSignInPage(): void {
  // The button that mails a link needs the address, and none of the other fields that its form requires, such as the password.
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[formnovalidate]')) {
    button.addEventListener('click', (event) => {
      const address = button.form?.querySelector<HTMLInputElement>('input[name="email"]')
      if (address && !address.reportValidity()) event.preventDefault()
    })
  }

  const isSupported = supportsPasskeys()
  for (const element of document.querySelectorAll<HTMLElement>('[data-needs-passkeys]')) element.hidden = !isSupported
  for (const element of document.querySelectorAll<HTMLElement>('[data-without-passkeys]')) element.hidden = isSupported
  if (isSupported) for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) start(form)
}
