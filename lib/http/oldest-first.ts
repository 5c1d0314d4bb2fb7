/**
 * Sorts cookies of one kind by when they were made. One that cannot be dated may have been made a moment ago, with a secret that is not known here: it counts
 * as old as the one that the browser lists before it, since browsers list older cookies first.
 *
 * @param listed in the order of the `Cookie` header; `begun` is null for one that cannot be dated, and 0 for one that is good nowhere
 * @see RFC 6265 §5.4 (the order of cookies)
 */
export function oldestFirst<T extends { readonly begun: number | null }>(listed: readonly T[]): readonly T[] {
  let before = 0
  const dated = listed.map((cookie) => {
    before = cookie.begun ?? before
    return { cookie, begun: before }
  })
  return dated.sort((one, other) => one.begun - other.begun).map(({ cookie }) => cookie)
}
