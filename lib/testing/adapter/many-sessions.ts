import assert from 'node:assert/strict'
import { MOST_LISTED } from '../../adapters/adapter.js'
import { createChecks } from './check.js'
import { dateFromNow, HOUR_MS, type Samples } from './samples.js'

/** How many rows are stored at the same time. */
const PARALLEL = 50
/** More than a store may list. */
const MANY = MOST_LISTED + 5

const ofTokenSessions = createChecks()
export const manyTokenSessionChecks = ofTokenSessions.checks
const ofSessions = createChecks()
export const manySessionChecks = ofSessions.checks

/** Does something for each number below {@link MANY}, for some at a time. */
async function manyTimes(work: (index: number) => Promise<unknown>): Promise<void> {
  const numbers = [...Array(MANY).keys()]
  for (let first = 0; first < MANY; first += PARALLEL) {
    await Promise.all(numbers.slice(first, first + PARALLEL).map(work))
  }
}

/** A subject at a provider that nobody else is. */
const oneSubject = (samples: Samples) => ({ provider: 'acme', subject: String(samples.sessionDetails().subject) })

/** When the session of a number ends: the first five before all others. */
const endOf = (index: number) => dateFromNow((index < MANY - MOST_LISTED ? 1 : 2) * HOUR_MS + index * 1000)

ofTokenSessions.strict(
  'listTokenSessionsByUserId gives 1,000 at most, those that end last, and then the next ones',
  ['createTokenSession', 'getTokenSession', 'updateTokenSession', 'revokeTokenSession', 'listTokenSessionsByUserId'],
  async (adapter, samples, { skip }) => {
    const { id: userId } = samples.tokenSession('')
    const at = oneSubject(samples)
    const sessions = [...Array(MANY).keys()].map((index) =>
      samples.tokenSession(userId, { ...at, expires: endOf(index) }),
    )
    const assertAtProvider = async (ids: readonly string[]) => {
      if (skip.includes('listTokenSessionsByProvider')) return
      const rows = await adapter.listTokenSessionsByProvider(at)
      assert.deepEqual(
        rows.map(({ id }) => id),
        ids,
        'listTokenSessionsByProvider',
      )
    }
    await manyTimes(async (index) => adapter.createTokenSession(sessions[index] as (typeof sessions)[number]))
    const listed = (await adapter.listTokenSessionsByUserId(userId)).map(({ id }) => id)
    assert.deepEqual(
      listed,
      sessions
        .map(({ id }) => id)
        .slice(-MOST_LISTED)
        .reverse(),
      'the last end comes first',
    )
    await assertAtProvider(listed)
    await manyTimes(async (index) => {
      const id = listed[index]
      if (id === undefined) return
      await adapter.revokeTokenSession(id, dateFromNow(0))
      // Somebody still uses it.
      if (index < PARALLEL) await adapter.updateTokenSession(id, { expires: dateFromNow(3 * HOUR_MS) })
    })
    const left = (await adapter.listTokenSessionsByUserId(userId)).map(({ id }) => id)
    const expected = sessions.map(({ id }) => id).slice(0, MANY - MOST_LISTED)
    assert.deepEqual(left, expected.reverse(), 'revoked ones must not hide the others')
    await assertAtProvider(expected)
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
    const sessions = [...Array(MANY).keys()].map((index) =>
      samples.session(userId, { ...(isListed && at), expires: endOf(index) }),
    )
    const assertAtProvider = async (tokens: readonly string[]) => {
      const rows = isListed ? await adapter.listSessionsByProvider(at) : null
      assert.deepEqual(rows?.map(({ sessionToken }) => sessionToken) ?? tokens, tokens, 'listSessionsByProvider')
    }
    await manyTimes(async (index) => adapter.createSession(sessions[index] as (typeof sessions)[number]))
    const tokens = sessions.map(({ sessionToken }) => sessionToken)
    const listed = (await adapter.listSessionsByUserId(userId)).map(({ sessionToken }) => sessionToken)
    assert.deepEqual(listed, tokens.slice(-MOST_LISTED).reverse(), 'the last end comes first')
    await assertAtProvider(listed)
    await manyTimes(async (index) => {
      const token = listed[index]
      if (token !== undefined) await adapter.deleteSession(token)
    })
    const left = (await adapter.listSessionsByUserId(userId)).map(({ sessionToken }) => sessionToken)
    const expected = tokens.slice(0, MANY - MOST_LISTED).reverse()
    assert.deepEqual(left, expected)
    await assertAtProvider(expected)
  },
)
