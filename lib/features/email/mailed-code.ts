import { equalInConstantTime, sha256Base64url } from '../../kernel/digest.js'
import { foldedCode } from '../../kernel/entered-code.js'
import { textOf } from '../../kernel/json-object.js'
import { randomText, randomToken } from '../../kernel/random.js'
import { rememberReturnTarget } from '../../sign-in/find-return-target.js'
import type { FlowPause, FlowResult } from '../../sign-in/flow.js'
import { redirect } from '../../sign-in/outcome.js'
import { countTry } from '../../sign-in/records.js'
import { codeLifetime, type MailRequest, mailedPerson } from './dependencies.js'
import { Verification } from './errors.js'
import { expiryProblem } from './redeem-link.js'
import { type ExpectedCode, requestsOf } from './requesting-browser.js'

/**
 * Letters of which none looks like another one, and none is a vowel, so that they make no words (RFC 8628 §6.1). Eight have 34.6
 * random bits: eight digits would have 26.6, and an attacker can have many codes mailed to one address.
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)

/** What the record that counts the tries is among the records. Its version is one more than their number. */
const KIND = 'email-code'
const MAX_TRIES = 5

/** A code that is mailed. */
export interface MailedCode {
  /** In two groups, as people read it. */
  readonly text: string
  /** Key of the record that counts the tries. */
  readonly id: string
}

/** Makes a code. */
export const makeCode = (): MailedCode => ({
  text: randomText(LETTERS, LENGTH).replace(/^.{4}/, '$&-'),
  id: randomToken(),
})

/** @param token hash of the token of the same mail, as it is stored */
export const expected = ({ text, id }: MailedCode, token: string): ExpectedCode => ({
  id,
  digest: digestOf(id, text.replace('-', '')),
  token,
})

/** The id is in the cookie alone, encrypted: nobody who reads the store has anything to guess at. */
const digestOf = (id: string, letters: string): string => sha256Base64url(JSON.stringify([id, letters]))

/** Stores the record that counts the tries of a code, after it has ended the codes that this browser has got before. */
export async function storeCode(at: MailRequest, { id }: MailedCode): Promise<void> {
  const { store, provider, now } = at
  for (const { content } of requestsOf(at)) if (content.code) await store.deleteRecord(KIND, content.code.id)
  const expires = new Date(now() + codeLifetime(provider) * 1000)
  await store.createRecord({ kind: KIND, key: id, owner: null, value: '-', expires, version: 1 })
}

/** Ends a code. */
export const deleteCode = ({ store }: MailRequest, { id }: MailedCode) => store.deleteRecord(KIND, id)

/**
 * Ends a sign-in with a code that was entered. The newest one that this browser has asked for counts, and no other. A code that
 * is used up, has expired or has no try left is refused without a look at what was entered.
 *
 * @throws {AdapterError} when the store fails
 */
export async function redeemCode(at: MailRequest, entered: unknown): Promise<FlowResult | FlowPause> {
  const { request, provider, store, now } = at
  const asked = requestsOf(at).find(({ content }) => content.provider === provider.id && content.code)
  if (!asked?.content.code)
    return refuse(at, 'NoCode', 'was not asked for in this browser, or with a secret that is unknown')
  const { code, t, address, isRemembered } = asked.content
  const letters = parseCode(entered)
  // Counts no try: it is the code of nobody.
  if (letters === null) return refuse(at, 'WrongCode', 'that was entered does not look like one that was mailed')
  if (now() >= t + codeLifetime(provider) * 1000) return refuse(at, 'NoCode', 'has expired')
  const tries = await countTry(store, KIND, code.id, MAX_TRIES)
  if (tries > MAX_TRIES)
    return refuse(at, 'NoCode', `has ended: another one was asked for, or it was wrong ${MAX_TRIES} times`)
  if (!equalInConstantTime(digestOf(code.id, letters), code.digest)) {
    return refuse(at, tries < MAX_TRIES ? 'WrongCode' : 'NoCode', `is wrong, at try ${tries}`)
  }
  const row = await store.useVerificationToken({ identifier: address, token: code.token })
  if (!row || expiryProblem(row, at) !== null) return refuse(at, 'NoCode', 'or the link of its mail was used already')
  request.keep.always('transaction', asked.deletions)
  return { kind: 'identity', identity: { ...(await mailedPerson(address, at)), isUnbound: false }, isRemembered }
}

/** The letters of a code, however they are written; null for what can be no code. */
function parseCode(entered: unknown): string | null {
  const letters = foldedCode(textOf(entered))
  return CODE.test(letters) ? letters : null
}

/** Logs why, and leads back to the page that has the field. */
async function refuse(
  { request, provider: { id }, logger }: MailRequest,
  code: 'WrongCode' | 'NoCode',
  why: string,
): Promise<FlowPause> {
  logger.error(new Verification(`Provider "${id}": the code ${why}.`, { provider: id }), request.incoming.source)
  const query = new URLSearchParams({ provider: id, type: 'email', error: Verification.type, code })
  const to = `${request.mountUrl}/verify-request?${query}`
  return { kind: 'answer', outcome: redirect(to, await rememberReturnTarget(request)) }
}
