import { comesWithBearer } from '../../kernel/bearer-token.js'
import { InvalidConfiguration, RequestRefused } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { object } from '../../kernel/object-shape.js'
import { flag, text } from '../../kernel/shape.js'
import { usableId } from '../../providers/profile-mapping.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import { type Config, type ServiceKey, sessionsWithoutCookies } from '../../sign-in/config.js'
import { happened } from '../../sign-in/happened.js'
import { type Operation, optional, REMOVAL, type RecentSignIn, sentBy } from '../../sign-in/operation.js'
import type { RemovalOptions } from '../../users/ways-in.js'
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

/** Stores a password, and ends the mailed links of its owner, and the sessions where they can be ended. */
export async function setPassword(config: Config, given: NewPassword): Promise<void> {
  checkCallOptions(given, NEW_PASSWORD, 'setPassword(config, { userId, password })')
  await (await serviceIn(config)).set(given)
  try {
    await happened.changedByCode(config, 'password-set', given.userId)
  } finally {
    if (config.endsSessions) await sessionsWithoutCookies(config).revokeAllOf(given.userId)
  }
}

/** Whether a password is that of a user, also one that must be changed. What is no text is none, and what is no id is nobody's. */
export async function verifyPassword(config: Config, { userId, password }: PasswordToVerify): Promise<boolean> {
  const { passwords } = await serviceIn(config)
  return (await passwords.check(usableId(userId), textOf(password))).isRight
}

/** What the application knows about a user who removes their password, and asks of them. */
export interface PasswordRemoval extends RecentSignIn, RemovalOptions {}

const removePassword: Operation<[options?: PasswordRemoval], void> = {
  parameters: ['options'],
  check: optional(object<PasswordRemoval>(REMOVAL)),
  requires: loaderIn,
  changes: true,
  recent: 'to remove a password',
  bothFactors: true,
  async run(asked, { signsInOtherwise = false } = {}) {
    const { config, context, sessions } = asked
    const header = (name: string) => context.header(name)
    // A bearer token cannot end the other sessions.
    if (comesWithBearer({ config, header })) throw new RequestRefused(403, 'A bearer token removes no password.')
    const { remove } = await serviceIn(config)
    const userId = asked.userId()
    await remove(userId, { signsInOtherwise, source: context.source })
    // First: the owner is told also if the store fails before the sessions have ended.
    await happened.changed(sentBy(asked), { kind: 'password-removed', userId })
    if (config.endsSessions) await sessions.revokeOthers(context)
  },
}

export const passwordOperations = { removePassword }

/** @throws {InvalidConfiguration} if no provider keeps passwords */
export const serviceIn = (config: Pick<Config, 'services'>): Promise<PasswordService> => loaderIn(config)()

function loaderIn({ services }: Pick<Config, 'services'>): () => Promise<PasswordService> {
  const load = services.get(PASSWORDS)
  if (load === null)
    throw new InvalidConfiguration('The configuration keeps no passwords. Add Password() to `providers`.')
  return load
}
