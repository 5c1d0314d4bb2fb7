import type { Awaitable, CommonProviderOptions, User } from './user.js'

/** One field of a credentials form: the attributes of its `<input>`, and its caption. */
export interface CredentialInput {
  /** Caption; the field's key when absent. */
  label?: string
  /** Type of the input; `text` when absent. */
  type?: string
  placeholder?: string
  value?: string | number
  autocomplete?: string
  required?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: any other attribute of an <input> is passed on to the page
  [attribute: string]: any
}

/** A sign-in with fields of the application's own, checked by its own code. */
export interface CredentialsConfig<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProviderOptions {
  type: 'credentials'
  /** The fields of the form on the sign-in page: an empty object is a button alone. Without it the page shows no form. */
  credentials?: C
  /**
   * Gives the user for what was entered, null to refuse, or throws {@link CredentialsSignin} to refuse with a code.
   *
   * @param credentials the submitted fields; JSON bodies keep their types
   * @param request the sign-in request: same URL, method and headers
   */
  authorize: (
    credentials: Partial<Record<keyof C, unknown>>,
    request: Request,
  ) => Awaitable<User | null | undefined | false>
  options?: Partial<CredentialsConfig<C>>
}
