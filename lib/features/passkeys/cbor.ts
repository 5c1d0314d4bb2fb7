/** Attestation statements have a list of certificates in a map in a map. Nothing that is needed is deeper. */
const MAX_DEPTH = 4

/** A CBOR item and where it ends. Texts, numbers, byte strings and maps are read; everything else is only measured. */
interface CborItem {
  readonly value: string | number | Uint8Array | ReadonlyMap<unknown, CborItem> | null
  readonly start: number
  readonly end: number
}

/** Thrown for bytes that are not strict CBOR. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

/**
 * The one item that bytes hold.
 *
 * @throws {CborError} when they are malformed, go on after it, repeat a key, or nest too deeply
 */
export function readOnlyItem(bytes: Uint8Array): CborItem {
  const item = readItem(bytes, 0)
  if (item.end !== bytes.length) throw new CborError('bytes follow the CBOR item')
  return item
}

/**
 * The item at a position, in the part of CTAP2's canonical subset that excludes ambiguity: only definite lengths, and
 * no key twice. Decoders read other forms differently, so one could verify other values than another one stores.
 *
 * @throws {CborError} when it is malformed
 * @see CTAP 2.2 §8, RFC 8949 §5.6
 */
export function readItem(bytes: Uint8Array, start: number, depth = 0): CborItem {
  if (depth > MAX_DEPTH) throw new CborError('the CBOR is nested too deeply')
  const { major, argument, next } = readHead(bytes, start)
  switch (major) {
    case 0:
      return { value: argument, start, end: next }
    case 1:
      return { value: -1 - argument, start, end: next }
    case 2:
    case 3: {
      const end = next + argument
      if (end > bytes.length) throw truncated()
      const slice = bytes.subarray(next, end)
      return { value: major === 2 ? slice : text(slice), start, end }
    }
    case 4: {
      let end = next
      for (let index = 0; index < argument; index++) end = readItem(bytes, end, depth + 1).end
      return { value: null, start, end }
    }
    case 5:
      return readMap(bytes, { start, next, pairs: argument, depth })
    case 7:
      return { value: null, start, end: next }
    default:
      throw new CborError('CBOR tags have no place here')
  }
}

interface MapHead {
  readonly start: number
  readonly next: number
  readonly pairs: number
  readonly depth: number
}

function readMap(bytes: Uint8Array, { start, next, pairs, depth }: MapHead): CborItem {
  const members = new Map<unknown, CborItem>()
  let end = next
  for (let index = 0; index < pairs; index++) {
    const key = readItem(bytes, end, depth + 1)
    if (typeof key.value !== 'string' && typeof key.value !== 'number')
      throw new CborError('a CBOR key is no text or number')
    if (members.has(key.value)) throw new CborError('a CBOR key comes twice')
    const member = readItem(bytes, key.end, depth + 1)
    members.set(key.value, member)
    end = member.end
  }
  return { value: members, start, end }
}

/** Bytes that the argument of a head takes, by the low bits of its first byte. */
const ARGUMENT_BYTES: Readonly<Record<number, number>> = { 24: 1, 25: 2, 26: 4, 27: 8 }

function readHead(bytes: Uint8Array, at: number) {
  const first = bytes[at]
  if (first === undefined) throw truncated()
  const [major, low] = [first >> 5, first & 31]
  if (low < 24) return { major, argument: low, next: at + 1 }
  const size = ARGUMENT_BYTES[low]
  if (size === undefined) throw new CborError('a CBOR length is indefinite or reserved')
  const next = at + 1 + size
  if (next > bytes.length) throw truncated()
  let argument = 0
  for (let index = at + 1; index < next; index++) argument = argument * 256 + (bytes[index] ?? 0)
  if (!Number.isSafeInteger(argument) && major !== 7) throw new CborError('a CBOR number is too large')
  return { major, argument, next }
}

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CborError('a CBOR text is not UTF-8')
  }
}

const truncated = () => new CborError('the CBOR ends too early')
