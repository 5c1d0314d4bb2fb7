import type { ServiceKey } from '../../sign-in/config.js'
import type { PasswordService } from './service.js'

/** The passwords of users, loaded when they are first needed. Null if no provider keeps passwords. */
export const PASSWORDS: ServiceKey<(() => Promise<PasswordService>) | null> = { name: 'passwords' }
