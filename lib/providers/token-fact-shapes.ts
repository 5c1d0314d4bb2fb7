import { object } from '../shapes/object-shape.js'
import { either, flag, oneOf, recordOf, seconds, text } from '../shapes/shape.js'
import {
  type EndSessionFacts,
  REVOCATION_DIALECTS,
  type RefreshRequest,
  type RevocationFacts,
  type TokenFacts,
} from './token-facts.js'

const setting = oneOf('setting')

/** The shape of the member `tokenFacts` of a provider. */
export const tokenFactsShape = object<TokenFacts>({
  refresh: either(oneOf('always', 'never', 'setting'), object<RefreshRequest>({ scope: text, params: recordOf(text) })),
  rotates: either(flag, oneOf('sometimes', 'setting')),
  graceSeconds: either(seconds(0, { orInfinity: true }), setting),
  accessTokenSeconds: either(seconds(1, { orInfinity: true }), setting),
  revocation: either(
    oneOf('metadata', 'none'),
    object<RevocationFacts>({
      url: text,
      dialect: oneOf(...REVOCATION_DIALECTS),
      headers: recordOf(text),
      only: oneOf('access', 'refresh'),
    }),
  ),
  endSession: either(
    oneOf('metadata', 'none'),
    object<EndSessionFacts>({
      url: text,
      returnParam: {
        expected: 'a string, or null',
        fits: (value) => value === null || typeof value === 'string',
      },
      withoutHint: flag,
    }),
  ),
  backChannelLogout: flag,
  incrementalParams: recordOf(text),
})
