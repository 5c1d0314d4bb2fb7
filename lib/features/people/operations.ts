import { isPlainObject } from '../../kernel/describe-value.js'
import { InvalidConfiguration, MissingAdapter, MissingAdapterMethods, withoutDetails } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { type Shape, seconds, text } from '../../kernel/shape.js'
import { INVITED, signInPageUrl, withParams } from '../../pages/action-urls.js'
import { checkCallOptions, requireUserId } from '../../sessions/check-call-options.js'
import {
  type Config,
  LIST_OTHER_ADDRESSES,
  LIST_SECURITY_EVENTS,
  originWithoutRequest,
  type ServiceKey,
  sessionsWithoutCookies,
} from '../../sign-in/config.js'
import { mappedTarget } from '../../sign-in/find-return-target.js'
import { happened } from '../../sign-in/happened.js'
import type { RemainingWay } from '../../users/ask-confirmation.js'
import type { Invitations } from './invitations.js'
import type { ExportedUser, People } from './people.js'

export type { ExportedUser }

/** The users of the adapter, loaded when they are first needed. Null if there is no adapter. */
export const PEOPLE: ServiceKey<(() => Promise<People>) | null> = { name: 'people' }

/** Invitations, loaded with the first one. Null if people do not become users by being invited. */
export const INVITATIONS: ServiceKey<(() => Promise<Invitations>) | null> = { name: 'invitations' }

/** Whom to invite, and as what. */
export interface Invitation {
  /** Where the mail goes. Only a sign-in that confirms this address uses the invitation. */
  email: string
  /**
   * Further members with which the user is stored, such as `role`: values of JSON. They replace what the provider says; `id`,
   * `email` and `emailVerified` are refused.
   */
  user?: Record<string, unknown>
  /** Seconds until it expires; 604800, seven days, by default, and at most a year. */
  maxAge?: number
  /** Where the person goes after the sign-in: a path or URL, which the `redirect` callback maps. */
  callbackUrl?: string
  /** Language of the mail, as a tag such as `de`. By default the first of `theme.languages`, or English. */
  language?: string
}

const IDENTIFYING: ReadonlySet<string> = new Set(['id', 'email', 'emailVerified'])

const furtherMembers: Shape<Record<string, unknown>> = {
  expected: 'an object without `id`, `email` and `emailVerified`, which the sign-in decides',
  fits: (value) => isPlainObject(value) && !Object.keys(value).some((name) => IDENTIFYING.has(name)),
}

const INVITATION = object<Invitation>({
  email: text,
  user: furtherMembers,
  maxAge: seconds(1, { most: 365 * 24 * 60 * 60 }),
  callbackUrl: text,
  language: text,
})

const A_WEEK = 7 * 24 * 60 * 60

/** Invites an address by mail. False, and no mail, if somebody has it. */
export async function inviteUser(config: Config, given: Invitation): Promise<boolean> {
  checkCallOptions(given, INVITATION, 'inviteUser(config, { email })')
  const { user = {}, maxAge = A_WEEK, callbackUrl, language } = given
  const { addressOf, put, seal, send } = await invitationsOf(config)
  const { basePath, pages, logger, store } = config
  const origin = originWithoutRequest(config, 'An invitation leads to the sign-in page')
  const email = addressOf(given.email)
  if (await store?.getUserByEmail(email)) return false
  const target = await mappedTarget(callbackUrl, config, origin)
  // A page of the application could not read it.
  const known = pages.signIn ? {} : { [INVITED]: seal(email, maxAge) }
  const signIn = signInPageUrl(pages.signIn ?? `${origin}${basePath}/signin`, target, origin)
  const url = withParams(signIn, known, origin)
  const undo = await put(email, user, maxAge)
  try {
    await send(email, { origin, acceptLanguage: language }, { url, maxAge })
  } catch (error) {
    try {
      // Nobody knows of it. The person may know of the earlier one, which stays, unless they have signed up meanwhile.
      await undo()
    } catch (fault) {
      logger.error(withoutDetails(fault), undefined)
    }
    throw error
  }
  return true
}

/** Takes an invitation back. False if there was none that still counts. */
export async function revokeInvitation(config: Config, email: string): Promise<boolean> {
  const { addressOf, revoke } = await invitationsOf(config)
  return revoke(addressOf(email))
}

export async function disableUser(config: Config, userId: string): Promise<boolean> {
  const id = requireUserId(userId, 'disableUser()')
  const isKnown = await (await peopleOf(config)).setDisabled(id, true)
  if (isKnown) await happened.changedByCode(config, 'user-disabled', id)
  return isKnown
}

export async function enableUser(config: Config, userId: string): Promise<boolean> {
  const id = requireUserId(userId, 'enableUser()')
  return (await peopleOf(config)).setDisabled(id, false)
}

/** Deletes a user. Gives what the application has to delete itself; null for an unknown user. */
export async function deleteUser(config: Config, userId: string): Promise<readonly RemainingWay[] | null> {
  const id = requireUserId(userId, 'deleteUser()')
  const people = await peopleOf(config)
  const invitations = await config.services.get(INVITATIONS)?.()
  // An address may have been invited before it was theirs. First, while the store still says which addresses these are.
  const user = invitations && (await config.store?.getUser(id))
  const others = user && (await config.services.get(LIST_OTHER_ADDRESSES)?.(user))
  for (const email of [user?.email, ...(others ?? [])]) if (email) await invitations?.revoke(email)
  const left = (await people.remove(id))?.filter((way) => way !== 'sessions') ?? null
  return left && !config.endsSessions ? [...left, 'sessions'] : left
}

export async function exportUser(config: Config, userId: string): Promise<ExportedUser | null> {
  const id = requireUserId(userId, 'exportUser()')
  const people = await peopleOf(config)
  const eventsOf = config.services.get(LIST_SECURITY_EVENTS)
  const otherAddressesOf = config.services.get(LIST_OTHER_ADDRESSES)
  return people.export(id, { sessionsOf: () => sessionsOf(config, id), eventsOf, otherAddressesOf })
}

/** Null if nothing lists them. */
async function sessionsOf(config: Config, userId: string) {
  try {
    return await sessionsWithoutCookies(config).listOf(userId)
  } catch (error) {
    if (error instanceof InvalidConfiguration || error instanceof MissingAdapterMethods) return null
    throw error
  }
}

async function peopleOf({ services }: Config): Promise<People> {
  const load = services.get(PEOPLE)
  if (load) return load()
  throw new MissingAdapter('Users are kept by an adapter, and the configuration has none.')
}

async function invitationsOf({ services }: Config): Promise<Invitations> {
  const load = services.get(INVITATIONS)
  if (load) return load()
  throw new InvalidConfiguration('Nobody needs an invitation here. Set `signUp: "invited"`.')
}
