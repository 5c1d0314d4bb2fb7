import { InvalidConfiguration } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { object } from '../../kernel/object-shape.js'
import { flag, text } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import type { Config, ServiceKey } from '../../sign-in/config.js'
import type { NewPassword, PasswordService } from './service.js'

export type { NewPassword }

/** The passwords of users, loaded when they are first needed. Null if no provider keeps passwords. */
export const PASSWORDS: ServiceKey<(() => Promise<PasswordService>) | null> = { name: 'passwords' }

/** What somebody has entered as the password of a user. */
export interface PasswordToVerify {
  userId: string
  password: string
}

const NEW_PASSWORD = object<{ userId: string; password: string; hash: string; mustChange: boolean }>({
  userId: text,
  password: text,
  hash: text,
  mustChange: flag,
})

/** Stores a password, and ends the sessions of its owner where they can be ended. */
export async function setPassword(config: Config, given: NewPassword): Promise<void> {
  checkCallOptions(given, NEW_PASSWORD, 'setPassword(config, { userId, password })')
  const { set, endsSessions } = await serviceOf(config)
  await set(given)
  // Cookies play no part, so the sessions of any origin will do.
  if (endsSessions) await config.schemeFor('https://').sessions.revokeAllOf(given.userId)
}

/** Whether a password is that of a user, also one that must be changed. What is no text is none. */
export async function verifyPassword(config: Config, { userId, password }: PasswordToVerify): Promise<boolean> {
  const { passwords } = await serviceOf(config)
  return (await passwords.check(textOf(userId), textOf(password))).isRight
}

async function serviceOf({ services }: Config): Promise<PasswordService> {
  const load = services.get(PASSWORDS)
  if (load === null)
    throw new InvalidConfiguration('The configuration keeps no passwords. Add Password() to `providers`.')
  return load()
}
