import type { ClientErrorCode } from './client-error.js'

/** What the script of the sign-in page says, in the language of the page. The page has it in `data-texts`. */
export interface PasskeyTexts {
  readonly waiting: string
  readonly signedIn: string
  /** By the code of the failure; null for no text. */
  readonly signIn: Readonly<Record<ClientErrorCode, string | null>>
  /** The texts that are different when a passkey is made. */
  readonly register: Readonly<Partial<Record<ClientErrorCode, string | null>>>
}
