import type { AdapterUser } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { isRecent } from '../../sessions/may-be-used.js'
import type { SessionReading } from '../../sessions/session.js'
import type { Config } from '../../sign-in/config.js'
import { type Entering, type Proof, pointsIn, type Question } from '../../sign-in/feature.js'
import { happened } from '../../sign-in/happened.js'
import { type HeldSignIn, heldIn } from '../../sign-in/held-sign-in.js'
import type { Visit } from '../../sign-in/visit.js'
import { saysTwoFactors } from '../../users/identity.js'
import { ADDS, ASKS, secondFactorsIn } from './dependencies.js'
import type { SecondFactors } from './service.js'

/**
 * Whether a sign-in has two factors, or needs no more than one; or which page asks. The same for every way to sign in (MFA-06). A mailed
 * link proves no more than an address, so it is one factor like a password (MFA-04).
 */
export async function askSecondFactor(
  visit: Visit,
  { identity, proof, user, isSettled }: Entering,
): Promise<Proof | Question | null> {
  const person = (await user()) as AdapterUser | null
  if (person === null) return null
  const userId = String(person.id)
  const { account, authentication } = identity
  const state = () => stateOf(visit.config, person)
  const { factors, browsers, trusts, isRequired, gracePeriod } = await secondFactorsIn(visit.config)
  if (proof?.userId === userId) {
    const current = isSettled && proof.since !== undefined ? await factors.find(userId) : null
    // Another one has taken its place meanwhile, which was to end what the former one had begun.
    return current && current.since !== proof.since ? { asks: ASKS, userId, state: await state() } : proof
  }
  if (authentication?.factors === 2) return null
  if (trusts.includes(account.provider) && account.type === 'oidc' && saysTwoFactors(identity)) {
    return { userId, authentication: { factors: 2 } }
  }
  // A passkey that nobody had to unlock is a second factor after another way in, in the browser that waits for it, or in which
  // they are signed in.
  if (account.type === 'webauthn') {
    const held = await heldIn(visit)
    const isAfterAnother =
      identity.newPassword !== undefined ||
      (held?.userId === userId
        ? held.type !== 'webauthn' && held.state === (await state())
        : await hasSignedInOtherwise(visit, userId))
    if (isAfterAnother) return { userId, authentication: { factors: 2, amr: ['mfa'] } }
  }
  const factor = await factors.find(userId)
  if (factor === null) {
    // Whoever had it taken away may be the one who signs in.
    if (isSettled) await endReset(visit, factors, userId)
    // There is nothing to protect yet, and a mailed link confirms the address first: only then may they add one.
    if (!isSettled || !(await isRequired(person))) return null
    if (await mustShowBoth(visit.config, userId, account.type === 'webauthn'))
      return { asks: ASKS, userId, state: await state() }
    const isGrace = gracePeriod > 0 && (await factors.graceUntil(userId, gracePeriod)) > visit.config.now()
    return isGrace ? null : { asks: ADDS, userId, state: await state() }
  }
  // A new password ends all trust.
  const mayBeTrusted = identity.newPassword === undefined && !(await isSignedIn(visit, userId))
  const trust = mayBeTrusted ? await browsers.look(visit, userId, factor.since, state) : null
  if (trust === 'trusted') return { userId, authentication: { factors: 1 } }
  // The owner may have been robbed of the cookie.
  if (trust === 'ended') await happened.changed(visit, { kind: 'browser-trust-ended', userId, count: 1 })
  return { asks: ASKS, userId, state: await state() }
}

/** Stores that the time has come at which a second factor was to be taken away, and tells the owner, once. */
export async function endReset(visit: Visit, factors: SecondFactors['factors'], userId: string): Promise<void> {
  if (await factors.endReset(userId))
    await happened.changed(visit, { kind: 'second-factor-removed', userId, namesNoSessions: true })
}

/**
 * What a trusted browser and a sign-in that waits count with: the address and the password of then. Both are ended when these change,
 * but the store may fail at that moment, or a request may be faster.
 */
async function stateOf(config: Config, { id, email }: AdapterUser): Promise<string> {
  const states = await Promise.all(pointsIn(config).holds.map(({ stateOf: of }) => of?.(String(id))))
  // A feature of which they use nothing makes no difference: it may be new, or in some processes only.
  return sha256Base64url(JSON.stringify([email, ...states.filter(Boolean)]))
}

/** Whether a sign-in that waits still counts. */
export async function isAsHeld({ config }: Visit, { userId, state }: HeldSignIn): Promise<boolean> {
  const user = await config.store?.getUser(userId)
  return user ? state === (await stateOf(config, user)) : false
}

/** Who signs in again does it to show who they are. */
const isSignedIn = async (visit: Visit, userId: string): Promise<boolean> =>
  String((await visit.sessions.read(visit)).userId) === userId

/** Whether they are signed in, recently, and not by a passkey. */
export async function hasSignedInOtherwise(visit: Visit, userId: string): Promise<boolean> {
  const { recentAuthAge, now } = visit.config
  const reading = await visit.sessions.read(visit)
  return (
    String(reading.userId) === userId && isRecent(reading, recentAuthAge, now) && !isByPasskey(visit.config, reading)
  )
}

/**
 * Whether somebody without an app must show two factors before they add one: whoever has a passkey, and another way to sign in, has
 * two. With one of them alone, a thief would add an app in place of the other one.
 *
 * @param hasPasskey whether it is a passkey that they have shown
 */
export async function mustShowBoth(config: Config, userId: string, hasPasskey: boolean): Promise<boolean> {
  const { passkeyOf, areTwoFactors } = await secondFactorsIn(config)
  const own = await passkeyOf(userId)
  if (own === null) return false
  // A passkey that is two factors has asked already: it was another one.
  if (!hasPasskey || areTwoFactors(own)) return true
  // Nobody is asked for what they do not have, as far as that is known. A store that cannot list it does not say so.
  const ways = await (await config.users()).waysOf(userId)
  if (ways === null) return true
  const passwords = pointsIn(config).holds.find(({ kind }) => kind === 'password')
  const others = ways.map((id) => config.providers.get(id)).filter((each) => each && each.type !== 'webauthn')
  const isKept = (provider: (typeof others)[number]) => provider?.type === 'credentials' && provider.password !== null
  return others.some((each) => !isKept(each)) || (others.length > 0 && ((await passwords?.count(userId)) ?? 1) > 0)
}

/** Whether somebody who is signed in {@link mustShowBoth}, and has not. */
export const lacksOne = async (config: Config, reading: SessionReading): Promise<boolean> =>
  reading.userId !== null &&
  reading.authentication?.factors !== 2 &&
  mustShowBoth(config, String(reading.userId), isByPasskey(config, reading))

/** Whether a session was begun by a passkey. */
export const isByPasskey = (
  { providers }: Pick<Config, 'providers'>,
  { providerSession, authentication }: Pick<SessionReading, 'authentication' | 'providerSession'>,
): boolean =>
  // Where that is not known: what a provider says of itself may have the same words.
  providerSession
    ? providers.get(providerSession.provider)?.type === 'webauthn'
    : PASSKEYS.some((key) => authentication?.amr?.includes(key))

/** In the words of RFC 8176. */
const PASSKEYS = ['hwk', 'swk']
