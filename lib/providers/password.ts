import { withInherited } from '../kernel/inherited.js'
import type { CredentialsConfig, PasswordSettings } from './credentials.js'

export type { HashImporter } from './credentials.js'
export * from './password-importers.js'

/** Options of {@link Password}. */
export interface PasswordOptions extends PasswordSettings {
  /** `password` by default. */
  id?: string
  /** `Password` by default. */
  name?: string
}

/**
 * A sign-in with an e-mail address and a password that Latchkey keeps, with its pages: sign-up, a new password by mail, and a change.
 * It needs an adapter that keeps records, and an e-mail provider of this package, which mails the links.
 *
 * @example
 * const config = { adapter: sqlAdapter({ sqlite: 'auth.db' }), providers: [Password(), Nodemailer({ server, from })] }
 */
export default function Password(options: PasswordOptions = {}): CredentialsConfig<{
  email: object
  password: object
}> {
  const { id = 'password', name = 'Password', ...settings } = withInherited(options)
  return {
    id,
    name,
    type: 'credentials',
    credentials: { email: { type: 'email' }, password: { type: 'password' } },
    // Passwords are checked with what the configuration keeps.
    authorize: () => null,
    password: settings,
  }
}
