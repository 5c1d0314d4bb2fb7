import type { Adapter } from '../../adapters/adapter.js'
import { adapterCalls } from '../../adapters/adapter-calls.js'
import { createOneTimeLedger, sharedLedger } from '../../crypto/one-time.js'
import { MissingCSRF } from '../../errors.js'
import { isCrossSite } from '../../http/csrf.js'
import type { LoggerInstance } from '../../logger.js'
import type { ResolvedWebAuthnProvider } from '../../providers/provider.js'
import type { Flow, FlowRequest, FlowResult } from '../flow.js'
import { clearing } from '../flow-failure.js'
import { unlessEnded } from '../unless-ended.js'
import { type Answer, parseAnswer } from './answer.js'
import { createChallengeCookies } from './challenge-cookies.js'
import { createDecoys } from './decoys.js'
import { WEBAUTHN_METHODS, type WebAuthnDependencies } from './dependencies.js'
import { NoOpenCeremony, WebAuthnVerificationError } from './errors.js'
import { finishAuthenticate } from './finish-authenticate.js'
import { finishRegister } from './finish-register.js'
import { partyOf } from './hooks.js'
import { makeOptions } from './make-options.js'

/** What the flow of passkeys needs of a configuration. */
export interface WebAuthnFlowSettings {
  readonly adapter: Adapter
  /** At least one; the first seals, all of them open. */
  readonly secrets: readonly string[]
  /** Seconds since the sign-in, at most, for whoever adds a passkey. */
  readonly recentAuthAge: number
  readonly logger: LoggerInstance
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The flow of one passkey provider: options are asked for, the browser answers, and the callback holds the one against the other. */
export function webAuthnFlow(provider: ResolvedWebAuthnProvider, settings: WebAuthnFlowSettings): Flow {
  const { adapter, secrets, recentAuthAge, logger, now } = settings
  const parts: WebAuthnDependencies = {
    provider,
    adapter,
    store: adapterCalls(adapter, WEBAUTHN_METHODS, 'sign-in with a passkey', logger),
    challenges: createChallengeCookies(provider.id, secrets, now),
    decoys: createDecoys(secrets),
    counters: sharedLedger(secrets, 'passkey counter', now),
    // Two passkeys with one name are a pity, and no more.
    names: createOneTimeLedger(now),
    recentAuthAge,
    logger,
    now,
  }
  return {
    callbackMethods: ['POST'],
    // The browser puts the challenge and the origin of the page under the signature, and the challenge belongs to this browser's cookie.
    callbackNeedsCsrf: false,
    start: null,
    relyingPartyId: (request) => partyOf(request, 'callback', parts).id,
    options: (request) => makeOptions(request, parts),
    finish(request) {
      const answer = parseAnswer(request.fields['data'])
      return clearing(parts.challenges.clear(request, answer?.clientData.challenge ?? null), () =>
        unlessEnded(NoOpenCeremony, request, () => finish(request, answer, parts)),
      )
    },
  }
}

async function finish(request: FlowRequest, answer: Answer | null, parts: WebAuthnDependencies): Promise<FlowResult> {
  const { provider, challenges } = parts
  const { incoming, origin, fields } = request
  if (isCrossSite(incoming.header, origin)) {
    throw new MissingCSRF(`Provider "${provider.id}": the browser says that another site sent the answer.`)
  }
  const { action } = fields
  if ((action !== 'register' && action !== 'authenticate') || !answer) {
    throw new WebAuthnVerificationError(
      `Provider "${provider.id}": the callback has no \`action\`, or its \`data\` is not the JSON text of a browser's answer.`,
    )
  }
  const challenge = await challenges.take(request, answer.clientData.challenge, action)
  return action === 'register'
    ? finishRegister(request, answer, challenge, parts)
    : finishAuthenticate(request, answer, challenge, parts)
}
