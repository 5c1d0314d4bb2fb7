/** What {@link cbor} writes. Numbers are integers from -65 536 to 65 535. */
export type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>

/** CBOR of a value, as far as an authenticator needs it (RFC 8949 §3). Members of a map are in the order of the map. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)])
}

/** The first bytes of an item: its major type, and its number or length. */
function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument])
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument])
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255])
}
