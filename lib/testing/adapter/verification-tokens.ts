import assert from 'node:assert/strict'
import { allAtOnce, assertKept, assertNull, createChecks } from './check.js'
import { anyEmail, awkwardText, dateFromNow, HOUR_MS, lookalikes } from './samples.js'

const BOTH = ['createVerificationToken', 'useVerificationToken'] as const

const LOOK_UP = [...BOTH, 'getVerificationToken'] as const

const { checks, authjs, strict } = createChecks()
export const verificationTokenChecks = checks

authjs('useVerificationToken gives a token once', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  assertKept(await adapter.useVerificationToken(given), given)
  assertNull(await adapter.useVerificationToken(given))
})

authjs('useVerificationToken gives null for an unknown pair', ['useVerificationToken'], async (adapter, samples) => {
  assertNull(await adapter.useVerificationToken(samples.verificationToken()))
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

authjs('a right token for a wrong address fails and consumes nothing', BOTH, async (adapter, samples) => {
  const given = samples.verificationToken()
  await adapter.createVerificationToken(given)
  assertNull(await adapter.useVerificationToken({ ...given, identifier: anyEmail() }))
  assertKept(await adapter.useVerificationToken(given), given)
})

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

strict('compares addresses and tokens exactly', BOTH, async (adapter, samples) => {
  for (const [what, stored, asked] of lookalikes(anyEmail())) {
    const given = samples.verificationToken({ identifier: stored })
    await adapter.createVerificationToken(given)
    const found = await adapter.useVerificationToken({ identifier: asked, token: given.token })
    assert.equal(found, null, `confuses addresses that differ in ${what}`)
  }
  const given = samples.verificationToken({ token: `Ab${samples.verificationToken().token}` })
  await adapter.createVerificationToken(given)
  for (const token of ['', '%', '*', given.token.toLowerCase(), `${given.token} `]) {
    assertNull(await adapter.useVerificationToken({ ...given, token }))
  }
  assertKept(await adapter.useVerificationToken(given), given)
})

strict(
  'takes every character as itself, and never the end of an address for the start of a token',
  BOTH,
  async (adapter, samples) => {
    const awkward = samples.verificationToken({ identifier: awkwardText(anyEmail()) })
    await adapter.createVerificationToken(awkward)
    assertKept(await adapter.useVerificationToken(awkward), awkward)
    for (const separator of [':', '/', '-', '_', '.', ',', '|', ' ', '%3A', '","']) {
      const { identifier, token, expires } = samples.verificationToken()
      await adapter.createVerificationToken({ identifier, token: `x${separator}${token}`, expires })
      assertNull(await adapter.useVerificationToken({ identifier: `${identifier}${separator}x`, token }))
    }
  },
)

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
