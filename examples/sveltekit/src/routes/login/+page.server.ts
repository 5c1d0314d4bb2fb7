import { fail } from '@sveltejs/kit'
import { CredentialsSignin } from 'latchkey/sveltekit'
import { signIn } from '../../server/auth.js'
import type { Actions } from './$types'

export const actions: Actions = {
  // The form has the fields `providerId`, `redirectTo`, and those of the provider.
  provider: signIn,
  async password(event) {
    try {
      return await signIn(event)
    } catch (error) {
      if (error instanceof CredentialsSignin) return fail(401, { message: 'These details match no account.' })
      throw error
    }
  },
}
