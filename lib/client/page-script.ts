import { startButtons } from './passkey-buttons.js'
import type { PasskeyTexts } from './passkeys.js'
import { startSignInPage } from './signin-page.js'

// The one script of the mount: of the built-in sign-in page, and of pages that have passkey buttons. It imports nothing, so that it runs
// as a module and as a classic script.

/** What the buttons say. The server writes it before the script of a page with buttons, and only there. */
declare const PASSKEY_TEXTS: PasskeyTexts | undefined

if (typeof PASSKEY_TEXTS === 'undefined') startSignInPage()
else startButtons(PASSKEY_TEXTS)
