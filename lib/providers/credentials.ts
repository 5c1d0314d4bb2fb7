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

/** A sign-in with fields that the application chooses, and checks with its own code. */
export interface CredentialsConfig<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProviderOptions {
  type: 'credentials'
  /** The fields of the form on the sign-in page. With an empty object the form is only a button. Absent: there is no form. */
  credentials?: C
  /**
   * Returns the user for the submitted fields, or null to refuse. It throws `CredentialsSignin` to refuse with a code.
   *
   * @param credentials the submitted fields; JSON bodies keep their types
   * @param request the sign-in request: same URL, method and headers
   */
  authorize: (credentials: Partial<Record<keyof C, unknown>>, request: Request) => Awaitable<User | null | false>
  /** Set by `latchkey/providers/password`: Latchkey keeps the passwords itself, and never calls `authorize`. */
  password?: PasswordSettings
  options?: Partial<CredentialsConfig<C>>
}

/** How passwords are kept. */
export interface PasswordSettings {
  /** Characters that a new password has at least: 15 by default, as long as it is the only proof (NIST SP 800-63B-4); 8 at least. */
  minLength?: number
  /** Words that say little here, such as the name of the product: a new password must be more than one of them. */
  words?: readonly string[]
  /**
   * Read the hashes of other packages, which `setPassword` stores. Each is replaced with a hash of Latchkey when its owner signs in.
   */
  importers?: readonly HashImporter[]
  /** Refuses new passwords that are known from breaches. Absent: nobody is asked. */
  breached?: BreachedPasswords
}

/** How new passwords are looked up in a list of breached ones. */
export interface BreachedPasswords {
  /** What happens to a new password while the service does not answer within three seconds; `accept` by default. */
  whenUnavailable?: 'accept' | 'refuse'
  /**
   * Address of the list, to which five characters of a SHA-1 digest are added: `https://api.pwnedpasswords.com/range/` by default,
   * of Have I Been Pwned.
   */
  url?: string
}

/**
 * Reads one kind of hash that was made elsewhere. At each check of a password `verify` runs once, whoever asks: with the hash of the
 * person if it is of this kind, and otherwise with `sample`, so that the time says nothing about anybody.
 */
export interface HashImporter {
  /** Whether a text is a hash of this kind, and asks for no more work than a process can do. */
  reads(hash: string): boolean
  /**
   * Whether a password has a hash.
   *
   * @param password as it was entered
   */
  verify(password: string, hash: string): Awaitable<boolean>
  /** A hash of this kind, with the parameters that most of the stored ones have. */
  sample: string
}

/** Options of {@link Credentials}. */
export type CredentialsOptions<C extends Record<string, CredentialInput>> = Partial<
  Pick<CredentialsConfig<C>, 'id' | 'name' | 'credentials'>
> &
  Pick<CredentialsConfig<C>, 'authorize'>

/**
 * A sign-in with fields that the application chooses, and checks with its `authorize`.
 *
 * By default the `id` is `credentials` and the `name` is `Credentials`. With `credentials: {}` the form is only a button, for
 * guests for example. Without `credentials` the sign-in page shows no form.
 */
export default function Credentials<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>(
  config: CredentialsOptions<C>,
): CredentialsConfig<C> {
  return {
    id: 'credentials',
    name: 'Credentials',
    type: 'credentials',
    // Undefined where the function stands in the list uncalled: the check of the configuration says so.
    authorize: config?.authorize,
    knownOptions: [],
    options: config,
  }
}
