import type { CredentialInput, CredentialsConfig } from './provider.js'

/** What an application gives {@link Credentials}. */
export type CredentialsOptions<C extends Record<string, CredentialInput>> = Partial<
  Pick<CredentialsConfig<C>, 'id' | 'name' | 'credentials'>
> &
  Pick<CredentialsConfig<C>, 'authorize'>

/**
 * A sign-in with fields of the application's own, checked by its own `authorize`.
 *
 * The `id` is `credentials` and the `name` is `Credentials` unless given. `credentials: {}` makes a button, as for guests; without `credentials` the sign-in page
 * shows nothing.
 */
export default function Credentials<C extends Record<string, CredentialInput> = Record<string, CredentialInput>>(
  config: CredentialsOptions<C>,
): CredentialsConfig<C> {
  return {
    id: 'credentials',
    name: 'Credentials',
    type: 'credentials',
    // Auth.js reads the application's function from `options`, and this one only when that is missing.
    authorize: () => null,
    knownOptions: [],
    options: config,
  }
}
