import assert from 'node:assert/strict'
import type { VerificationToken } from '../../adapters/adapter.js'
import { type AdapterCalls, allAtOnce, assertKept, assertNull, createChecks } from './check.js'
import { keyedRowChecks } from './keyed-rows.js'
import { anyEmail, dateFromNow, HOUR_MS, type Samples } from './samples.js'

const add = createChecks()
const { checks, authjs, strict } = add
export const verificationTokenChecks = checks

const BOTH = ['createVerificationToken', 'useVerificationToken'] as const

const LOOK_UP = [...BOTH, 'getVerificationToken'] as const

const KEYED = {
  noun: 'verification token',
  key: { identifier: 'an address', token: 'a token' },
  keys: 'addresses and tokens',
  creation: ['createVerificationToken'],
  sample: (samples: Samples, _: string, members?: Partial<VerificationToken>) => samples.verificationToken(members),
  store: (adapter: AdapterCalls, given: VerificationToken) => adapter.createVerificationToken(given),
} as const

keyedRowChecks<VerificationToken>(add, {
  ...KEYED,
  method: 'useVerificationToken',
  level: 'authjs',
  find: (adapter, given) => adapter.useVerificationToken(given),
})

keyedRowChecks<VerificationToken>(add, {
  ...KEYED,
  method: 'getVerificationToken',
  level: 'strict',
  find: (adapter, given) => adapter.getVerificationToken(given),
})

authjs('useVerificationToken gives a token once', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  assertKept(await adapter.useVerificationToken(given), given)
  assertNull(await adapter.useVerificationToken(given))
})

authjs(
  'a wrong token for a right address fails and consumes nothing (CVE-2022-39263)',
  BOTH,
  async (adapter, samples) => {
    const given = samples.verificationToken()
    await adapter.createVerificationToken(given)
    assertNull(await adapter.useVerificationToken({ ...given, token: samples.verificationToken().token }))
    assertKept(await adapter.useVerificationToken(given), given)
  },
)

authjs('one address may have many tokens', BOTH, async (adapter, samples) => {
  const identifier = anyEmail()
  const given = [samples.verificationToken({ identifier }), samples.verificationToken({ identifier })]
  for (const token of given) await adapter.createVerificationToken(token)
  for (const token of given) assertKept(await adapter.useVerificationToken(token), token)
})

strict('getVerificationToken gives a token and leaves it there', LOOK_UP, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  assertKept(await adapter.getVerificationToken(given), given)
  assertNull(await adapter.getVerificationToken({ ...given, identifier: anyEmail() }))
  assertNull(await adapter.getVerificationToken({ ...given, token: samples.verificationToken().token }))
  assertKept(await adapter.useVerificationToken(given), given)
  assertNull(await adapter.getVerificationToken(given))
})

authjs('useVerificationToken gives an expired token as it stands, or null', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken({ expires: dateFromNow(-HOUR_MS) })
  await adapter.createVerificationToken(given)
  // The service judges expiry by the row; a store that expires rows by itself may have dropped it.
  const found = await adapter.useVerificationToken(given)
  if (found) assertKept(found, given)
})

strict('keeps an address of 254 characters', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken({ identifier: anyEmail().padStart(254, 'y') })
  await adapter.createVerificationToken(given)
  assertKept(await adapter.useVerificationToken(given), given)
})

strict('200 parallel useVerificationToken of one token: one gets it', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  const answers = await allAtOnce(200, () => adapter.useVerificationToken(given))
  const found = answers.filter((answer) => answer !== null)
  assert.equal(found.length, 1, 'number of calls that got the token')
  assertKept(found[0], given)
})
