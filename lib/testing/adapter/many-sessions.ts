import assert from 'node:assert/strict'
import { type AdapterSession, type AdapterTokenSession, MOST_LISTED } from '../../adapters/adapter.js'
import { createChecks } from './check.js'
import { dateFromNow, HOUR_MS, type Samples } from './samples.js'

const ofTokenSessions = createChecks()
export const manyTokenSessionChecks = ofTokenSessions.checks
const ofSessions = createChecks()
export const manySessionChecks = ofSessions.checks

/** How many rows are stored at the same time. */
const PARALLEL = 50
/** More than a store may list. */
const MANY = MOST_LISTED + 5

/** Does something for each number below {@link MANY}, for some at a time. */
async function manyTimes(work: (index: number) => Promise<unknown>): Promise<void> {
  const numbers = [...Array(MANY).keys()]
  for (let first = 0; first < MANY; first += PARALLEL) {
    await Promise.all(numbers.slice(first, first + PARALLEL).map(work))
  }
}

/** Many sessions of one user that began at one provider, by token or id. The first five end before all others. */
interface ManySessions {
  readonly names: readonly string[]
  store(index: number): Promise<unknown>
  end(name: string, index: number): Promise<unknown>
  ofUser(): Promise<readonly string[]>
  /** Null where the adapter does not list sessions by their provider. */
  atProvider(): Promise<readonly string[] | null>
}

async function checkMany({ names, store, end, ofUser, atProvider }: ManySessions): Promise<void> {
  const assertNames = async (expected: readonly string[], message: string) => {
    assert.deepEqual(await ofUser(), expected, message)
    assert.deepEqual((await atProvider()) ?? expected, expected, `at the provider: ${message}`)
  }
  await manyTimes(store)
  const listed = names.slice(-MOST_LISTED).reverse()
  await assertNames(listed, 'the last end comes first')
  await manyTimes(async (index) => {
    const name = listed[index]
    if (name !== undefined) await end(name, index)
  })
  await assertNames(names.slice(0, MANY - MOST_LISTED).reverse(), 'those that were ended must not hide the others')
}

const endOf = (index: number) => dateFromNow((index < MANY - MOST_LISTED ? 1 : 2) * HOUR_MS + index * 1000)

/** A subject at a provider that nobody else is. */
const oneSubject = (samples: Samples) => ({ provider: 'acme', subject: String(samples.sessionDetails().subject) })

ofTokenSessions.strict(
  'listTokenSessionsByUserId gives 1,000 at most, those that end last, and then the next ones',
  ['createTokenSession', 'getTokenSession', 'updateTokenSession', 'revokeTokenSession', 'listTokenSessionsByUserId'],
  async (adapter, samples, { skip }) => {
    const { id: userId } = samples.tokenSession('')
    const at = oneSubject(samples)
    const sessionOf = (index: number) => samples.tokenSession(userId, { ...at, expires: endOf(index) })
    const sessions = [...Array(MANY).keys()].map(sessionOf)
    const idsOf = (rows: readonly AdapterTokenSession[]) => rows.map(({ id }) => id)
    await checkMany({
      names: idsOf(sessions),
      store: async (index) => adapter.createTokenSession(sessions[index] ?? sessionOf(index)),
      async end(id, index) {
        await adapter.revokeTokenSession(id, dateFromNow(0))
        // Somebody still uses it.
        if (index < PARALLEL) await adapter.updateTokenSession(id, { expires: dateFromNow(3 * HOUR_MS) })
      },
      ofUser: async () => idsOf(await adapter.listTokenSessionsByUserId(userId)),
      atProvider: async () =>
        skip.includes('listTokenSessionsByProvider') ? null : idsOf(await adapter.listTokenSessionsByProvider(at)),
    })
    // A store that deletes expired rows itself need not search them in the checks that follow.
    await manyTimes(async (index) => {
      const id = sessions[index]?.id
      if (id !== undefined) await adapter.updateTokenSession(id, { expires: dateFromNow(-HOUR_MS) })
    })
  },
)

ofSessions.strict(
  'listSessionsByUserId gives 1,000 at most, those that end last, and then the next ones',
  ['createUser', 'createSession', 'deleteSession', 'listSessionsByUserId'],
  async (adapter, samples, { skip }) => {
    const { id: userId } = await adapter.createUser(samples.user())
    const isListed = !skip.includes('listSessionsByProvider')
    const at = oneSubject(samples)
    const sessionOf = (index: number) => samples.session(userId, { ...(isListed && at), expires: endOf(index) })
    const sessions = [...Array(MANY).keys()].map(sessionOf)
    const tokensIn = (rows: readonly AdapterSession[]) => rows.map(({ sessionToken }) => sessionToken)
    await checkMany({
      names: tokensIn(sessions),
      store: (index) => adapter.createSession(sessions[index] ?? sessionOf(index)),
      end: (token) => adapter.deleteSession(token),
      ofUser: async () => tokensIn(await adapter.listSessionsByUserId(userId)),
      atProvider: async () => (isListed ? tokensIn(await adapter.listSessionsByProvider(at)) : null),
    })
  },
)
