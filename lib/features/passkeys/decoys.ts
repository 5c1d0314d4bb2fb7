import { createHmac } from 'node:crypto'
import { deriveKey } from '../../kernel/keys.js'

/** A passkey as options name it. */
export interface CredentialDescriptor {
  /** Base64url. */
  readonly id: string
  readonly type: 'public-key'
  readonly transports?: readonly string[]
}

/** Bytes of an id and transports, as common authenticators have them. */
const SHAPES = [
  { bytes: 20, transports: ['internal', 'hybrid'] },
  { bytes: 16, transports: ['hybrid', 'internal'] },
  { bytes: 32, transports: ['internal'] },
  { bytes: 16, transports: ['internal', 'hybrid'] },
] as const

/**
 * Makes passkeys that do not exist, for people who are not known here: always the same for the same name, so that
 * asking twice reveals nothing (WEBAUTHN-21). A user without passkeys gets them, too.
 *
 * @param secrets one of them makes the passkeys, the same one in every order of the secrets. So while a secret is
 *   rotated, the passkeys change once, and not at each step
 */
export function createDecoys(secrets: readonly string[]): (name: string) => CredentialDescriptor[] {
  const [chosen] = secrets
    .map((secret) => deriveKey(secret, 'latchkey:webauthn-decoy', 'A256GCM'))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  const key = chosen?.bytes ?? ''
  const digest = (name: string, index: number) => createHmac('sha256', key).update(`${index} ${name}`).digest()
  return (name) => {
    const [first = 0] = digest(name, 0)
    // Most people have one passkey; one in four has two.
    const count = first % 4 === 0 ? 2 : 1
    return Array.from({ length: count }, (_, index) => {
      const [choice = 0] = digest(name, 10 + index)
      const { bytes, transports } = SHAPES[choice % SHAPES.length] ?? SHAPES[0]
      const id = digest(name, 20 + index)
        .subarray(0, bytes)
        .toString('base64url')
      return { id, type: 'public-key', transports: [...transports] }
    })
  }
}
