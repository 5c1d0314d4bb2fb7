/// <reference lib="dom" />
import { createClient, type PasskeyOptions } from './client.js'
import { ClientError, type ClientErrorCode } from './errors.js'
import { navigate } from './mount.js'
import { forgetPasskey, type PasskeyTexts, supportsPasskeys } from './passkeys.js'

/** The event of a button whose ceremony failed. If a page cancels it, nothing is said and nobody is sent to another page. */
const FAILED = 'passkey-failed'

const ACTIONS = { 'sign-in': 'signInWithPasskey', add: 'registerPasskey' } as const

const isAction = (name: string | undefined): name is keyof typeof ACTIONS =>
  name !== undefined && Object.hasOwn(ACTIONS, name)

/**
 * Makes the passkey buttons of pages of an application work.
 *
 * @param texts what it says, in one language
 */
export function startButtons(texts: PasskeyTexts): void {
  const basePath = new URL((document.currentScript as HTMLScriptElement).src).pathname.replace(/\/assets\/[^/]*$/, '')
  const client = createClient({ basePath })

  let isBusy = false

  /** The element that says what happens: the one that the button names, or one that is made after the button. */
  function statusOf(button: HTMLElement): HTMLElement {
    const { passkeyStatus: id } = button.dataset
    const named = id === undefined ? null : document.getElementById(id)
    if (named) return named
    const made = document.createElement('p')
    made.id = `passkey-status-${document.querySelectorAll('[data-passkey-status]').length + 1}`
    made.setAttribute('role', 'status')
    button.dataset['passkeyStatus'] = made.id
    button.after(made)
    return made
  }

  /** What the form of the button has beside it: an address, for a sign-up, and whether to stay signed in. */
  function optionsOf(button: HTMLElement): PasskeyOptions {
    const { providerId, redirectTo = location.href } = button.dataset
    const field = (name: string) => button.closest('form')?.querySelector<HTMLInputElement>(`input[name="${name}"]`)
    const email = field('email')?.value
    return {
      ...(providerId && { providerId }),
      ...(email && { email }),
      redirectTo,
      redirect: false,
      remember: () => field('remember')?.checked ?? false,
    }
  }

  async function press(button: HTMLElement, name: keyof typeof ACTIONS): Promise<void> {
    if (isBusy) return
    isBusy = true
    const status = statusOf(button)
    button.setAttribute('aria-disabled', 'true')
    status.textContent = texts.waiting
    const options = optionsOf(button)
    try {
      const { url } = await client[ACTIONS[name]](options)
      status.textContent = name === 'add' ? '' : texts.signedIn
      navigate(url)
    } catch (error) {
      fail(button, name, error instanceof ClientError ? error.code : 'failed')
    } finally {
      isBusy = false
      button.removeAttribute('aria-disabled')
    }
  }

  function fail(button: HTMLElement, name: keyof typeof ACTIONS, code: ClientErrorCode): void {
    const status = statusOf(button)
    status.textContent = ''
    const event = new CustomEvent(FAILED, { bubbles: true, cancelable: true, detail: { action: name, code } })
    if (!button.dispatchEvent(event)) return
    if (code === 'sign-in-again') {
      // The sign-in page says why, and leads back to this page, without what its address says of an earlier deed.
      const page = new URL(`${basePath}/signin`, location.href)
      const callbackUrl = button.dataset['page'] ?? location.href
      page.search = new URLSearchParams({ error: 'RecentSignInRequired', callbackUrl }).toString()
      location.assign(page)
      return
    }
    const own = name === 'add' ? texts.register[code] : undefined
    status.textContent = own ?? texts.signIn[code] ?? ''
  }

  /** Shows what the page hides until it is known that passkeys can be used. */
  function showButtons(): void {
    const isSupported = supportsPasskeys()
    const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector)
    for (const button of all('[data-passkey]')) {
      if (!isAction(button.dataset['passkey'])) continue
      button.hidden = !isSupported
      // It has to be there before something is said in it, or screen readers miss it.
      if (isSupported) statusOf(button)
    }
    for (const element of all('[data-needs-passkeys]')) element.hidden = !isSupported
    for (const element of all('[data-without-passkeys]')) element.hidden = isSupported
    // Only script elements, which are the page's own: another visitor may have written other elements of the page, and knows the
    // id of a passkey that somebody still uses.
    for (const { dataset } of all('script[data-removed-passkey]')) {
      const { removedPasskey: credentialId, rpId } = dataset
      if (credentialId && rpId) void forgetPasskey({ rpId, credentialId })
    }
  }

  // Buttons that a page adds later work, too.
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-passkey]') : null
    const name = button?.dataset['passkey']
    if (button && isAction(name)) void press(button, name)
  })
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', showButtons)
  else showButtons()
}
