/// <reference lib="dom" />
// The only script of the demo's own pages. Your own application imports from 'latchkey/client'.
import {
  ClientError,
  type ClientErrorCode,
  forgetPasskey,
  registerPasskey,
  supportsPasskeys,
} from '../../../lib/client/index.js'

const MESSAGES: Partial<Record<ClientErrorCode, string>> = {
  cancelled: 'You cancelled. No passkey was added.',
  'timed-out': 'It took too long. Please try again.',
  'already-registered': 'You already have a passkey on this device.',
  'no-authenticator': 'This device cannot store a passkey.',
  'not-allowed': 'Your browser allows no passkeys at this address. Open this page with the host name localhost.',
  refused: 'You are no longer signed in. Load the page again.',
  offline: 'Your browser cannot reach the app.',
}

const area = document.querySelector<HTMLElement>('[data-add-passkey]')
const button = area?.querySelector('button')
const status = area?.querySelector('p')

async function add(): Promise<void> {
  if (status) status.textContent = 'Waiting for your passkey…'
  try {
    await registerPasskey({ redirectTo: '/private?done=added' })
  } catch (error) {
    const code = error instanceof ClientError ? error.code : 'failed'
    if (status) status.textContent = MESSAGES[code] ?? 'The passkey was not added. Please try again.'
  }
}

// The button stays hidden without a script, and in a browser without passkeys.
if (area && supportsPasskeys()) {
  area.hidden = false
  button?.addEventListener('click', () => void add())
}

// A passkey was removed: the browser should not offer it any more.
const removed = document.querySelector<HTMLElement>('[data-removed-passkey]')?.dataset
if (removed?.['rpId'] && removed['credentialId']) {
  void forgetPasskey({ rpId: removed['rpId'], credentialId: removed['credentialId'] })
}
