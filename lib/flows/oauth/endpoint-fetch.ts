import type { Awaitable } from '../../awaitable.js'

/** What a provider's entry says of the calls to one of its endpoints. */
interface EndpointHooks {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly conform?: ((response: Response) => Awaitable<Response | undefined>) | undefined
}

/**
 * The `fetch` for one endpoint. Headers of the provider's entry replace those of the library, in upper or lower case,
 * and the entry's `conform` may change the answer.
 */
export function endpointFetch(channel: typeof fetch, { headers = {}, conform }: EndpointHooks): typeof fetch {
  const added = Object.entries(headers)
  // Most entries have nothing to say.
  if (added.length === 0 && !conform) return channel
  return async (input, init) => {
    const merged = new Headers(init?.headers)
    for (const [name, value] of added) merged.set(name, value)
    const answer = await channel(input, { ...init, headers: merged })
    return (await conform?.(answer.clone())) ?? answer
  }
}
