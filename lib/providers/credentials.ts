import type { CredentialInput, CredentialsConfig } from './provider.js'

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
