import { types } from 'node:util'
import { onceFor } from '../kernel/awaitable.js'
import { type CookieChange, clearCookie, setCookie } from '../kernel/cookies.js'
import { AuthError } from '../kernel/errors.js'
import { isObject } from '../kernel/json-object.js'
import { withParams } from '../pages/action-urls.js'
import { isOAuthProvider } from '../providers/provider.js'
import type { LifetimeChoice } from '../sessions/session-claim.js'
import type { Entry, Identity } from '../users/identity.js'
import type { Config } from './config.js'
import type { CookieRequest } from './cookies.js'
import type { Proof, Question } from './feature.js'
import { happened } from './happened.js'
import { type Outcome, redirect } from './outcome.js'
import { createSecretRecords, deleteRecordsOf } from './records.js'
import type { AccountName, Visit } from './visit.js'

/** An entry that the application lets in, with what the visitor wants of its session. */
export interface PermittedEntry extends Entry {
  readonly returnTarget: string
  readonly lifetime: LifetimeChoice | undefined
  /** What the visitor has shown in answer to a question. */
  readonly proof?: Proof | undefined
  /** Set for somebody who was stored when this sign-in was held. */
  readonly isNewUser?: boolean
}

/** What a held sign-in is among the records. */
const KIND = 'held-sign-in'

/** Seconds to answer: people look for their phone (MFA-03). */
const KEPT_SECONDS = 10 * 60

/** Answers that are looked at, before the sign-in must begin again. */
export const MOST_TRIES = 5

/** What the encrypted value of a record has. */
interface StoredHold extends Question, Pick<PermittedEntry, 'returnTarget' | 'lifetime' | 'isNewUser'> {
  readonly identity: Identity
  /** As {@link Visit.triedAs}. */
  readonly triedAs: AccountName | null
}

/** A sign-in that waits for an answer. */
export interface HeldSignIn extends StoredHold {
  /** With which type of provider it began. */
  readonly type: Identity['account']['type']
  /** Counts a try, before the answer is looked at. Gives how many are left; less than 0 if this was none, or the sign-in has gone on. */
  countTry(): Promise<number>
  /** Whether no other request has taken it meanwhile. */
  isLeft(): Promise<boolean>
  /** Takes it: only one request gets it. Null for every other one. */
  take(): Promise<PermittedEntry | null>
}

/**
 * Keeps a sign-in until its question is answered. There is no session yet (MFA-05). It is bound to the
 * browser by a cookie that no sibling host can set, and what was entered is not kept.
 */
export async function hold(visit: Visit, entry: PermittedEntry, question: Question): Promise<Outcome> {
  const { config, specs, mountUrl, origin } = visit
  const { returnTarget, lifetime, isNewUser = false } = entry
  const { credentials: _, source: __, ...identity } = entry.identity
  const { triedAs } = visit
  const held = { ...question, identity, returnTarget, lifetime, isNewUser, triedAs } satisfies StoredHold
  await dropHeld(visit)
  const secret = await recordsOf(config).make(question.userId, toStored(held), KEPT_SECONDS)
  await happened.proved(visit)
  // The page leads on where the sign-in would have.
  const page = withParams(`${mountUrl}/${question.asks}`, { callbackUrl: returnTarget }, origin)
  return redirect(page, [setCookie(specs.heldSignIn, secret, { maxAge: KEPT_SECONDS })])
}

/**
 * The only member of what is stored for a date. Names that begin like it get a dot: no member of what a provider says, or an
 * application, passes for a date.
 */
const DATE = 'latchkey.date'

/** A held sign-in as JSON keeps it. Users have dates, for the callbacks of the application, and some stores number users with a bigint. */
const toStored = (held: StoredHold): StoredHold =>
  JSON.parse(
    JSON.stringify(held, function (this: Readonly<Record<string, unknown>>, name, value: unknown) {
      const given = this[name]
      if (types.isDate(given)) return { [DATE]: value }
      if (typeof given === 'bigint') return String(given)
      return isObject(value) ? renamed(value, (own) => (own.startsWith(DATE) ? `${own}.` : own)) : value
    }),
  )

/** What {@link toStored} was given, or a part of it. */
function fromStored(stored: unknown): unknown {
  if (Array.isArray(stored)) return stored.map(fromStored)
  if (!isObject(stored)) return stored
  if (Object.hasOwn(stored, DATE)) return new Date(String(stored[DATE]))
  const read = Object.entries(stored).map(([name, value]) => [name, fromStored(value)] as const)
  return renamed(Object.fromEntries(read), (name) => (name.startsWith(DATE) ? name.slice(0, -1) : name))
}

const renamed = (members: Readonly<Record<string, unknown>>, nameOf: (name: string) => string) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [nameOf(name), value]))

const heldByVisit = new WeakMap<object, Promise<HeldSignIn | null>>()

/** The sign-in that waits in this browser; null for none. It is looked up once a request: what must be exact is counted and taken. */
export function heldIn(visit: Visit): Promise<HeldSignIn | null> {
  const held = heldByVisit.get(visit) ?? look(visit)
  heldByVisit.set(visit, held)
  return held
}

async function look(visit: Visit): Promise<HeldSignIn | null> {
  const { config, cookies, specs, source } = visit
  const secret = cookies.get(specs.heldSignIn.name)
  if (!secret || config.store === null) return null
  const records = recordsOf(config)
  const found = await records.look(secret)
  if (found === null) return null
  const held = fromStored(found) as StoredHold
  const { identity, returnTarget, lifetime, isNewUser = false, triedAs } = held
  return {
    ...held,
    type: identity.account.type,
    countTry: async () => MOST_TRIES - (await records.countTry(secret, MOST_TRIES)),
    isLeft: async () => (await records.look(secret)) !== null,
    async take() {
      if (!(await records.take(secret))) return null
      visit.triedAs = triedAs
      return {
        identity: { ...restored(identity, config), source },
        owner: null,
        isAddition: false,
        returnTarget,
        lifetime,
        isNewUser,
      }
    },
  }
}

/** Ends what is held in this browser. Gives the deletion of its cookie. */
export async function dropHeld(visit: CookieRequest & Pick<Visit, 'config'>): Promise<readonly CookieChange[]> {
  const { config, cookies, specs } = visit
  heldByVisit.delete(visit)
  const secret = cookies.get(specs.heldSignIn.name)
  if (secret === undefined) return []
  if (config.store !== null) await recordsOf(config).take(secret)
  return [clearCookie(specs.heldSignIn)]
}

/** Ends all that is held for a user, in every browser: what they have shown may not count any more. */
export const dropHeldOf = (config: Pick<Config, 'store'>, userId: string): Promise<number> =>
  deleteRecordsOf(storeOf(config), KIND, userId)

/** What no store keeps, as the configuration has it. */
function restored(identity: Identity, { providers }: Config): Identity {
  const provider = providers.get(identity.account.provider)
  return identity.linking && isOAuthProvider(provider)
    ? { ...identity, linking: { ...identity.linking, storedTokens: provider.account } }
    : identity
}

/** The kept records of a configuration. */
const recordsOf = onceFor((config: Config) =>
  createSecretRecords<StoredHold>(KIND, { store: storeOf(config), secrets: config.secrets, now: config.now }),
)

/** Whoever asks keeps what is asked for in a store. */
function storeOf({ store }: Pick<Config, 'store'>) {
  if (store === null) throw new AuthError('A sign-in is held in a store, and there is none.')
  return store
}
