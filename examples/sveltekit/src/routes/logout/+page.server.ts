import { signOut } from '../../server/auth.js'
import type { Actions } from './$types'

export const actions: Actions = { default: signOut }
