import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A value that {@link cbor} writes. A map is written in the order of its entries, repeated keys and all. */
export type Cbor = number | string | Uint8Array | readonly Cbor[] | CborMap
export class CborMap {
  constructor(readonly entries: readonly (readonly [Cbor, Cbor])[]) {}
}

/** Writes CBOR, also what no authenticator should. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof CborMap) {
    return Buffer.concat([head(5, value.entries.length), ...value.entries.flat().map((member) => cbor(member))])
  }
  return Buffer.concat([head(4, value.length), ...value.map((member) => cbor(member))])
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument])
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument])
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255])
}

export const FLAG = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40, ed: 0x80 } as const

/** What an authenticator or a browser may do otherwise than it should. */
export interface Twist {
  /** Members of the client data, over the right ones. */
  readonly clientData?: Record<string, unknown>
  readonly rpId?: string
  readonly flags?: number
  readonly counter?: number
  /** Bytes that follow the authenticator data. */
  readonly trailing?: Uint8Array
  readonly userHandle?: string | null
  readonly signature?: Uint8Array
  /** The id that the answer names. */
  readonly id?: string
  readonly credentialId?: Uint8Array
  readonly coseKey?: CborMap
  /** COSE number of the key's signatures. */
  readonly alg?: number
  readonly format?: string
  readonly statement?: CborMap
  /** Changes the attestation object's bytes. */
  readonly attestationObject?: (object: Buffer) => Buffer
  readonly members?: Record<string, unknown>
}

/** A passkey of a {@link SoftAuthenticator}. */
export interface DevicePasskey {
  readonly id: Buffer
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly userHandle: string
  counter: number
}

// biome-ignore lint/suspicious/noExplicitAny: options are JSON that a server made
type Options = any

/**
 * An authenticator and the browser in front of it, in software: answers the options of a server as `navigator.credentials` would,
 * or with a {@link Twist}.
 */
export class SoftAuthenticator {
  readonly passkeys: DevicePasskey[] = []
  flags: number = FLAG.up | FLAG.uv | FLAG.be | FLAG.bs
  /** What a counter goes up by; most passkeys never count. */
  step = 0

  constructor(readonly origin: string) {}

  /** The last passkey that was made. */
  get passkey(): DevicePasskey {
    const last = this.passkeys.at(-1)
    if (!last) throw new Error('no passkey was made')
    return last
  }

  /** The `data` field of a registration's callback. */
  register(options: Options, twist: Twist = {}): string {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = Buffer.from(twist.credentialId ?? randomBytes(20))
    const passkey: DevicePasskey = { id, privateKey, publicKey, userHandle: options.user.id, counter: 0 }
    this.passkeys.push(passkey)
    const credential = Buffer.concat([
      Buffer.alloc(16),
      length16(id.length),
      id,
      cbor(twist.coseKey ?? coseKey(passkey, twist.alg)),
    ])
    const authData = this.#data(options.rp.id, (twist.flags ?? this.flags) | FLAG.at, passkey, credential, twist)
    const object = cbor(
      new CborMap([
        ['fmt', twist.format ?? 'none'],
        ['attStmt', twist.statement ?? new CborMap([])],
        ['authData', authData],
      ]),
    )
    const attestationObject = (twist.attestationObject?.(object) ?? object).toString('base64url')
    const clientDataJSON = this.#clientData('webauthn.create', options.challenge, twist)
    const response = { clientDataJSON, attestationObject, transports: ['internal', 'hybrid'] }
    return this.#answer(twist.id ?? id.toString('base64url'), response, twist)
  }

  /** The `data` field of a sign-in's callback. */
  authenticate(options: Options, twist: Twist = {}, passkey = this.#choose(options)): string {
    passkey.counter += this.step
    const authData = this.#data(options.rpId, twist.flags ?? this.flags, passkey, Buffer.alloc(0), twist)
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, twist)
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
    const signature = twist.signature ?? sign('sha256', Buffer.concat([authData, hash]), passkey.privateKey)
    const handle = twist.userHandle === undefined ? passkey.userHandle : twist.userHandle
    const response = {
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: Buffer.from(signature).toString('base64url'),
      ...(handle !== null && { userHandle: handle }),
    }
    return this.#answer(twist.id ?? passkey.id.toString('base64url'), response, twist)
  }

  #choose({ allowCredentials }: Options): DevicePasskey {
    const names: string[] | undefined = allowCredentials?.map(({ id }: { id: string }) => id)
    const found = this.passkeys.findLast(({ id }) => !names?.length || names.includes(id.toString('base64url')))
    return found ?? this.passkey
  }

  #data(rpId: string, flags: number, { counter }: DevicePasskey, more: Buffer, twist: Twist): Buffer {
    const fixed = Buffer.alloc(37)
    createHash('sha256')
      .update(twist.rpId ?? rpId)
      .digest()
      .copy(fixed)
    fixed[32] = flags
    fixed.writeUInt32BE(twist.counter ?? counter, 33)
    return Buffer.concat([fixed, more, twist.trailing ?? Buffer.alloc(0)])
  }

  #clientData(type: string, challenge: string, { clientData }: Twist): string {
    const data = { type, challenge, origin: this.origin, crossOrigin: false, ...clientData }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }

  #answer(id: string, response: object, { members }: Twist): string {
    const answer = { id, rawId: id, type: 'public-key', response, clientExtensionResults: {}, ...members }
    return JSON.stringify(answer)
  }
}

const length16 = (length: number) => Buffer.from([length >> 8, length & 255])

/** A key of P-256 as COSE has it (RFC 9053 §7.1). */
export function coseKey({ publicKey }: Pick<DevicePasskey, 'publicKey'>, alg = -7): CborMap {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return new CborMap([
    [1, 2],
    [3, alg],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ])
}
