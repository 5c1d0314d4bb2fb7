import type { AdapterRecord } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { foldedFactor, isRecoveryCode, RECOVERY_LENGTH, RECOVERY_LETTERS } from '../../kernel/entered-code.js'
import { AdapterError, RequestRefused } from '../../kernel/errors.js'
import { randomText, randomToken } from '../../kernel/random.js'
import type { Parts } from '../../sign-in/feature.js'
import { refuseSignedOut } from '../../sign-in/operation.js'
import { countTry, putRecordOf } from '../../sign-in/records.js'
import type { Totp } from './totp.js'

/** What a second factor is among the records. */
const KIND = 'second-factor'
/** The same for the wrong codes since the last right one, which the version counts: {@link countTry}. More are not counted. */
const WRONG = 'second-factor-wrong'
const MOST_WRONG = 100

/** How often a record is changed on condition that nobody has changed it meanwhile. */
const TRIES = 5

/** Recovery codes that a user gets at once (MFA-02). */
const CODES = 10

/** What the encrypted value of a record has. */
export interface StoredFactor {
  /** Otherwise a record that was put in the place of another one would be somebody else's. */
  readonly userId: string
  /** That of the authenticator app, in base32; null for none. */
  readonly secret: string | null
  /** The step of the last code that was used: it and all before are used up (MFA-01). */
  readonly step: number
  /** Digests of the recovery codes that are left. */
  readonly recovery: readonly string[]
  /** What they are made with: not with a secret of the configuration, which is replaced from time to time. */
  readonly salt: string
  /** Since when there is a second factor, milliseconds since the epoch. What was trusted before counts no more. */
  readonly since: number
  /** When it will be taken away, because an administrator wants that; milliseconds since the epoch. */
  readonly resetAt?: number
  /** Until when somebody who must have one may do without, milliseconds since the epoch. */
  readonly graceUntil?: number
}

/** The second factor of a user. */
export interface SecondFactor extends Pick<StoredFactor, 'since' | 'resetAt'> {
  /** How many recovery codes are left. */
  readonly codesLeft: number
  /** Another one after each change. */
  readonly version: number
}

/** How somebody has answered, and since when they have the second factor. */
export interface Answered extends Pick<StoredFactor, 'since'> {
  readonly by: 'app' | 'recovery-code'
  /** Whether it was to be taken away, and stays. */
  readonly isKept: boolean
}

/** Keeps one record a user. Whoever reads the store can neither make codes nor use recovery codes. */
export function createStoredFactors(totp: Totp, { store, secrets, now }: Pick<Parts, 'store' | 'secrets' | 'now'>) {
  const encryption = createValueEncryption(secrets, 'second-factor', now, { isInStore: true })
  const keyOf = (userId: string) => sha256Base64url(userId)

  const nothing = (userId: string): StoredFactor => ({
    userId,
    secret: null,
    step: 0,
    recovery: [],
    salt: '',
    since: 0,
  })

  const read = async (userId: string) => {
    const record = await store.getRecord(KIND, keyOf(userId))
    const value = record && ((await encryption.decrypt(record.value)) as StoredFactor | null)
    // A second factor that cannot be read must not let anybody in without one.
    if (record && value?.userId !== userId) throw new AdapterError('A second factor cannot be read.')
    // The time has come at which it was to be taken away.
    const isOver = value?.resetAt !== undefined && value.resetAt <= now()
    return { record, isOver, value: isOver ? { ...nothing(userId), ...graceOf(value) } : value }
  }

  /** Stores if nobody has changed it meanwhile, and the user is there. */
  const put = async (record: AdapterRecord | null, value: StoredFactor): Promise<boolean> => {
    const { userId } = value
    const sealed = await encryption.encrypt(value, Number.POSITIVE_INFINITY)
    const version = (record?.version ?? 0) + 1
    return putRecordOf(store, userId, { kind: KIND, key: keyOf(userId), value: sealed, version })
  }

  /**
   * Changes what is stored; tries again if somebody has changed it meanwhile. Null from `next` changes nothing.
   *
   * @throws {RequestRefused} 401 if the user was deleted meanwhile
   */
  const change = async <Result>(
    userId: string,
    next: (
      value: StoredFactor | null,
      version: number,
    ) => { readonly value: StoredFactor; readonly result: Result } | null,
  ): Promise<Result | null> => {
    for (let turn = 0; turn < TRIES; turn += 1) {
      const { record, value } = await read(userId)
      const changed = next(value, record?.version ?? 0)
      if (changed === null) return null
      if (await put(record, changed.value)) return changed.result
      if (!(await store.getUser(userId))) refuseSignedOut()
    }
    throw new AdapterError(CHANGES_ALWAYS)
  }

  const newCodes = () => {
    const codes = Array.from({ length: CODES }, () => randomText(RECOVERY_LETTERS, RECOVERY_LENGTH))
    const salt = randomToken()
    return { codes: codes.map(inGroups), made: { salt, recovery: codes.map((code) => digestOf(salt, code)) } }
  }

  return {
    /** Null if the user has none. */
    async find(userId: string): Promise<SecondFactor | null> {
      const { record, value } = await read(userId)
      if (!record || !value || value.secret === null) return null
      const { since, resetAt, recovery } = value
      const { version } = record
      return { since, version, codesLeft: recovery.length, ...(resetAt !== undefined && { resetAt }) }
    },

    /** Whether a secret is that of the app of a user. */
    isTheirs: async (userId: string, secret: string): Promise<boolean> => (await read(userId)).value?.secret === secret,

    /** The step of a code that is that of a secret now; null for every other one. */
    stepOf: (secret: string, entered: string): number | null =>
      totp.stepOf(secret, appCodeIn(foldedFactor(entered)), now()),

    /**
     * Adds an authenticator app, once it has shown a code. Gives new recovery codes.
     *
     * @param app `step`: that of the code
     * @param replaces version of the one whose place it takes; 0 for none
     * @throws {RequestRefused} 409 if there is another one
     */
    async add(
      userId: string,
      { secret, step }: Pick<StoredFactor, 'step'> & { readonly secret: string },
      replaces: number,
    ): Promise<{ readonly codes: readonly string[] } & Pick<StoredFactor, 'since'>> {
      const { codes, made } = newCodes()
      const since = now()
      await change(userId, (value, version) => {
        if (replaces !== (value?.secret ? version : 0)) {
          throw new RequestRefused(409, 'There is a second factor already.', {}, 'changed')
        }
        return { value: { userId, secret, step, ...made, since, ...graceOf(value) }, result: true }
      })
      return { codes, since }
    },

    /**
     * Makes new recovery codes; the former ones end. Null if there is no second factor, or it was changed meanwhile.
     *
     * @param known version of the one that is meant
     */
    async renewCodes(userId: string, known: number): Promise<readonly string[] | null> {
      const { codes, made } = newCodes()
      return change(userId, (value, version) =>
        value?.secret && version === known ? { value: { ...value, ...made }, result: codes } : null,
      )
    },

    /** Uses up what was entered: each code of an app, and each recovery code, counts once. Null if it is wrong. */
    async answer(userId: string, entered: string): Promise<Answered | null> {
      const text = foldedFactor(entered)
      const answered = await change<Answered>(userId, (value) => {
        if (!value?.secret) return null
        // Whoever has the factor does not want it taken away.
        const { resetAt, ...kept } = value
        const answer = { since: kept.since, isKept: resetAt !== undefined }
        if (isRecoveryCode(text)) {
          const own = digestOf(value.salt, text)
          const recovery = value.recovery.filter((digest) => digest !== own)
          return recovery.length === value.recovery.length
            ? null
            : { value: { ...kept, recovery }, result: { ...answer, by: 'recovery-code' } }
        }
        const step = totp.stepOf(value.secret, appCodeIn(text), now())
        return step === null || step <= value.step
          ? null
          : { value: { ...kept, step }, result: { ...answer, by: 'app' } }
      })
      if (answered !== null) await store.deleteRecord(WRONG, keyOf(userId))
      return answered
    },

    /** Counts a wrong code. Gives how many there were since the last right one. */
    async countWrong(userId: string): Promise<number> {
      const isFirst = await putRecordOf(store, userId, { kind: WRONG, key: keyOf(userId), value: '', version: 1 })
      const count = isFirst ? 1 : 1 + (await countTry(store, WRONG, keyOf(userId), MOST_WRONG))
      // From there on anew: who goes on to guess is told of again.
      if (count > MOST_WRONG) await store.deleteRecord(WRONG, keyOf(userId))
      return count
    },

    /** Until when somebody without a second factor may still do without. The first call begins the time. */
    async graceUntil(userId: string, gracePeriod: number): Promise<number> {
      const graceUntil = now() + gracePeriod * 1000
      const { value } = await read(userId)
      if (value?.graceUntil !== undefined) return value.graceUntil
      return (await change(userId, (current) => {
        const kept = current ?? nothing(userId)
        const until = kept.graceUntil ?? graceUntil
        return { value: { ...kept, graceUntil: until }, result: until }
      })) as number
    },

    /** The same; undefined before that call. */
    graceBegun: async (userId: string): Promise<number | undefined> => (await read(userId)).value?.graceUntil,

    /**
     * Takes the second factor away later, unless somebody shows it until then. False if there is none.
     *
     * @param at milliseconds since the epoch
     */
    async removeAt(userId: string, at: number): Promise<boolean> {
      const next = (value: StoredFactor | null) =>
        value?.secret ? { value: { ...value, resetAt: at }, result: true } : null
      return (await change(userId, next)) ?? false
    },

    /** Stores that the time of {@link removeAt} has come. True for one request, and false for all others. */
    async endReset(userId: string): Promise<boolean> {
      const { record, value, isOver } = await read(userId)
      return isOver && value !== null && put(record, value)
    },

    /** Takes the second factor away, also one that cannot be read. Gives whether there was one. */
    async remove(userId: string): Promise<boolean> {
      await store.deleteRecord(WRONG, keyOf(userId))
      for (let turn = 0; turn < TRIES; turn += 1) {
        const record = await store.getRecord(KIND, keyOf(userId))
        const value = record && ((await encryption.decrypt(record.value)) as StoredFactor | null)
        // What cannot be read may have been one.
        const hasOne = value === null || value.secret !== null
        // Whoever must have one has no more time than before to do without.
        const hasGrace = value?.graceUntil !== undefined
        if (hasGrace && (await put(record, { ...nothing(userId), ...graceOf(value) }))) return hasOne
        if (hasGrace && (await store.getUser(userId))) continue
        try {
          return (await store.deleteRecord(KIND, keyOf(userId))) !== null && hasOne
        } catch (error) {
          // The store may have done it, and its answer was lost.
          if (record === null || (await store.getRecord(KIND, keyOf(userId)))) throw error
          return hasOne
        }
      }
      throw new AdapterError(CHANGES_ALWAYS)
    },
  }
}

const CHANGES_ALWAYS = 'A second factor could not be stored: it changes all the time.'

const graceOf = (value: StoredFactor | null) =>
  value?.graceUntil === undefined ? {} : { graceUntil: value.graceUntil }

/** The code of an app; none for what is no code. */
const appCodeIn = (folded: string): string => (/^\d{6}$/.test(folded) ? folded : '')

const digestOf = (salt: string, code: string) => sha256Base64url(JSON.stringify([salt, code]))

const inGroups = (code: string) => code.replace(/.{4}(?=.)/g, '$&-')
