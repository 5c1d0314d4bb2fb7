import { isCrossSite } from '../../kernel/csrf.js'
import { MissingCSRF } from '../../kernel/errors.js'
import { createOneTimeLedger, sharedLedger, warnOfForgotten } from '../../kernel/one-time.js'
import { isRemembered } from '../../pages/form-field.js'
import type { ResolvedWebAuthnProvider } from '../../providers/provider.js'
import type { BrowserSteps, FlowResult } from '../../sign-in/flow.js'
import { parseAnswer } from './answer.js'
import { findChallenge, takeChallenge } from './challenge.js'
import { createDecoys, PASSKEY_TRANSACTION, type PasskeyRequest, type WebAuthnFlowSettings } from './dependencies.js'
import { refused } from './errors.js'
import { finishAuthenticate } from './finish-authenticate.js'
import { finishRegister } from './finish-register.js'
import { partyOf } from './hooks.js'
import { makeOptions } from './make-options.js'

/**
 * The steps of one passkey provider: a script asks for options, the browser answers them, and the callback verifies the
 * answer.
 */
export function webAuthnFlow(provider: ResolvedWebAuthnProvider, settings: WebAuthnFlowSettings): BrowserSteps {
  const { secrets, logger, now } = settings
  const dependencies = {
    ...settings,
    provider,
    used: sharedLedger(secrets, 'passkey challenge', now, warnOfForgotten(logger)),
    decoys: createDecoys(secrets),
    counters: sharedLedger(secrets, 'passkey counter', now),
    // In this process only: two passkeys with one name do no harm.
    names: createOneTimeLedger(now),
  }
  return {
    relyingPartyId: (request) => partyOf({ ...dependencies, request }, 'callback').id,
    options: (request) => makeOptions({ ...dependencies, request }),
    finish: (request) => finish({ ...dependencies, request }),
  }
}

async function finish(at: PasskeyRequest): Promise<FlowResult> {
  const { request, provider, transactions } = at
  // First: a form of another site must not delete a ceremony.
  refuseAnotherSite(at)
  const answer = parseAnswer(request.fields['data'])
  const found = answer && findChallenge(at, answer.clientData.challenge)
  // An answer that cannot be read may belong to any ceremony of the browser.
  const deletions = found ? found.deletions : transactions.clearKind(request, PASSKEY_TRANSACTION)
  request.keep.always('transaction', deletions)
  const { action } = request.fields
  if ((action !== 'register' && action !== 'authenticate') || !answer || !found) {
    throw refused(provider, "the callback has no `action`, or its `data` is not the JSON text of a browser's answer.")
  }
  const challenge = takeChallenge(at, answer.clientData.challenge, action, found)
  const finishing = { ...at, answer, challenge }
  const identity = await (action === 'register' ? finishRegister(finishing) : finishAuthenticate(finishing))
  return { kind: 'identity', isRemembered: isRemembered(request.fields), identity }
}

/**
 * A front end may use the passkeys if the provider names it, too: what an authenticator signs does not prove which page asked,
 * because anybody can write an authenticator.
 *
 * @throws {MissingCSRF} when another site sent the answer; the ceremonies of the browser stay open
 */
function refuseAnotherSite(at: PasskeyRequest): void {
  const { incoming, origin, fromFrontEnd, mayBeFromFrontEnd } = at.request
  if (!mayBeFromFrontEnd && !isCrossSite(incoming.header, origin)) return
  const { origins } = partyOf(at, 'callback')
  if (fromFrontEnd && origins.includes(incoming.header('origin') ?? '')) return
  throw new MissingCSRF(`Provider "${at.provider.id}": the browser says that another site sent the answer.`)
}
