/// <reference lib="dom" />
// The one script of the demo's own pages. In an application of your own: from 'latchkey/client'.
import {
  ClientError,
  type ClientErrorCode,
  forgetPasskey,
  registerPasskey,
  supportsPasskeys,
} from '../../../lib/client/index.js'

const MESSAGES: Partial<Record<ClientErrorCode, string>> = {
  cancelled: 'That was cancelled, and no passkey was made.',
  'timed-out': 'That took too long. Please try again.',
  'already-registered': 'This device has a passkey for you already.',
  'no-authenticator': 'This device cannot keep a passkey.',
  'not-allowed': 'Your browser allows no passkeys here. Open this page at localhost, by that name.',
  refused: 'You are not signed in any more. Load the page again.',
  offline: 'The app cannot be reached.',
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
    if (status) status.textContent = MESSAGES[code] ?? 'That did not work. Please try again.'
  }
}

// Without a script, or without passkeys in the browser, the button stays away.
if (area && supportsPasskeys()) {
  area.hidden = false
  button?.addEventListener('click', () => void add())
}

// A passkey was removed: the browser need not offer it any more.
const removed = document.querySelector<HTMLElement>('[data-removed-passkey]')?.dataset
if (removed?.['rpId'] && removed['credentialId']) {
  void forgetPasskey({ rpId: removed['rpId'], credentialId: removed['credentialId'] })
}
