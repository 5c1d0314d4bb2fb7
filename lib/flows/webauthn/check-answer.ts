import { equalInConstantTime } from '../../crypto/digest.js'
import type { SimpleWebAuthnOptions } from '../../providers/provider.js'
import type { Answer } from './answer.js'
import type { Ceremony, Challenge } from './challenge.js'
import type { Party } from './hooks.js'

const TYPES: Readonly<Record<Ceremony, string>> = { register: 'webauthn.create', authenticate: 'webauthn.get' }

/**
 * Compares what a browser says of the page with the ceremony. The library compares it again, but accepts an answer from
 * a frame within another site. Here such an answer is refused unless that site is configured (WEBAUTHN-05).
 *
 * @throws {Error} when something is not as it must be
 */
export function checkClientData(
  { clientData }: Answer,
  { challenge, ceremony }: Challenge,
  { origins }: Party,
  { expectedTopOrigin }: SimpleWebAuthnOptions,
): void {
  const { type, origin, crossOrigin, topOrigin } = clientData
  if (type !== TYPES[ceremony]) throw new Error(`the type of the answer is not ${TYPES[ceremony]}`)
  if (!equalInConstantTime(clientData.challenge, challenge)) throw new Error('the challenge of the answer is another')
  if (!origins.includes(origin)) {
    throw new Error(`the answer is from an origin that is not one of ${origins.join(', ')}; set relayingParty.origin`)
  }
  const isFramed = (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
  if (!isFramed) return
  const accepted: unknown[] = [expectedTopOrigin ?? []].flat()
  if (crossOrigin !== true || typeof topOrigin !== 'string' || !accepted.includes(topOrigin)) {
    throw new Error('the answer is from a frame within another site; set expectedTopOrigin if that is meant')
  }
}
