import { isCrossSite } from '../../kernel/csrf.js'
import { MissingCSRF } from '../../kernel/errors.js'
import { createOneTimeLedger, sharedLedger, warnOfForgotten } from '../../kernel/one-time.js'
import type { ResolvedWebAuthnProvider } from '../../providers/provider.js'
import type { BrowserSteps, FlowRequest, FlowResult } from '../../sign-in/flow.js'
import type { FoundTransaction } from '../../sign-in/transaction-cookies.js'
import { type Answer, parseAnswer } from './answer.js'
import { findChallenge, takeChallenge } from './challenge.js'
import {
  createDecoys,
  PASSKEY_TRANSACTION,
  type WebAuthnDependencies,
  type WebAuthnFlowSettings,
} from './dependencies.js'
import { WebAuthnVerificationError } from './errors.js'
import { finishAuthenticate } from './finish-authenticate.js'
import { finishRegister } from './finish-register.js'
import { partyOf } from './hooks.js'
import { makeOptions } from './make-options.js'

/**
 * The steps of one passkey provider: a script asks for options, the browser answers them, and the callback verifies the
 * answer.
 */
export function webAuthnFlow(provider: ResolvedWebAuthnProvider, settings: WebAuthnFlowSettings): BrowserSteps {
  const { secrets, transactions, logger, now } = settings
  const dependencies: WebAuthnDependencies = {
    ...settings,
    provider,
    used: sharedLedger(secrets, 'passkey challenge', now, warnOfForgotten(logger)),
    decoys: createDecoys(secrets),
    counters: sharedLedger(secrets, 'passkey counter', now),
    // In this process only: two passkeys with one name do no harm.
    names: createOneTimeLedger(now),
  }
  return {
    relyingPartyId: (request) => partyOf(request, 'callback', dependencies).id,
    options: (request) => makeOptions(request, dependencies),
    async finish(request) {
      // First: a form of another site must not delete a ceremony.
      requireOwnPage(request, dependencies)
      const answer = parseAnswer(request.fields['data'])
      const found = answer && (await findChallenge(request, answer.clientData.challenge, dependencies))
      // An answer that cannot be read may belong to any ceremony of the browser.
      const deletions = found ? found.deletions : await transactions.clearKind(request, PASSKEY_TRANSACTION)
      request.keep.always('attempt', deletions)
      return finish(request, answer, found, dependencies)
    },
  }
}

/**
 * A front end may use the passkeys if the provider names it, too: what an authenticator signs does not prove which page asked,
 * because anybody can write an authenticator.
 *
 * @throws {MissingCSRF} when another site sent the answer; the ceremonies of the browser stay open
 */
function requireOwnPage(request: FlowRequest, dependencies: WebAuthnDependencies): void {
  const { incoming, origin, fromFrontEnd, mayBeFromFrontEnd } = request
  if (!mayBeFromFrontEnd && !isCrossSite(incoming.header, origin)) return
  const { origins } = partyOf(request, 'callback', dependencies)
  if (fromFrontEnd && origins.includes(incoming.header('origin') ?? '')) return
  throw new MissingCSRF(`Provider "${dependencies.provider.id}": the browser says that another site sent the answer.`)
}

async function finish(
  request: FlowRequest,
  answer: Answer | null,
  found: FoundTransaction | null,
  dependencies: WebAuthnDependencies,
): Promise<FlowResult> {
  const { provider } = dependencies
  const { action } = request.fields
  if ((action !== 'register' && action !== 'authenticate') || !answer || !found) {
    throw new WebAuthnVerificationError(
      `Provider "${provider.id}": the callback has no \`action\`, or its \`data\` is not the JSON text of a browser's answer.`,
    )
  }
  const challenge = takeChallenge(answer.clientData.challenge, action, found, dependencies)
  return action === 'register'
    ? finishRegister(request, answer, challenge, dependencies)
    : finishAuthenticate(request, answer, challenge, dependencies)
}
