import type { AuthLocals, SvelteKitEvent } from '../../../lib/frameworks/sveltekit/event.js'
import { type SvelteKitAuthResult, svelteKitAuthWith } from '../../../lib/frameworks/sveltekit/sveltekit-auth.js'
import type { CookieAttributes } from '../../../lib/kernel/cookies.js'
import { ORIGIN } from '../../support/web-app.js'

/** What SvelteKit's own `redirect` throws. */
export class FakeRedirect {
  constructor(
    readonly status: number,
    readonly location: string,
    readonly options: unknown,
  ) {}
}

export const SvelteKitAuth = svelteKitAuthWith((status, location, options) => {
  throw new FakeRedirect(status, location, options)
})

/** An event, with the cookies that SvelteKit would set. */
export interface FakeEvent extends SvelteKitEvent {
  readonly locals: AuthLocals
  readonly set: Map<string, { readonly value: string; readonly options: CookieAttributes }>
}

interface EventOptions {
  readonly headers?: Record<string, string>
  readonly form?: Record<string, string> | URLSearchParams
  /** What SvelteKit says of the event. */
  readonly more?: Partial<Pick<SvelteKitEvent, 'isDataRequest' | 'isSubRequest' | 'isRemoteRequest' | 'url'>>
}

/** An event of SvelteKit for a GET, or for a POST of a form. */
export function eventAt(
  path: string,
  { headers = { host: 'app.example' }, form, more = {} }: EventOptions = {},
): FakeEvent {
  const init = form ? { method: 'POST', body: new URLSearchParams(form), headers } : { headers }
  const request = new Request(ORIGIN + path, init)
  const set: FakeEvent['set'] = new Map()
  return {
    request,
    url: new URL(ORIGIN + path.replace(/\/__data\.json/, '')),
    locals: {} as AuthLocals,
    isDataRequest: path.includes('/__data.json'),
    isSubRequest: false,
    set,
    cookies: {
      getAll() {
        const sent = new Map((headers['cookie'] ?? '').split('; ').flatMap((pair) => (pair ? [splitPair(pair)] : [])))
        for (const [name, { value, options }] of set) {
          if (options.maxAge === 0) sent.delete(name)
          else sent.set(name, value)
        }
        return [...sent].map(([name, value]) => ({ name, value }))
      },
      set(name, value, options) {
        set.set(name, { value, options })
      },
    },
    ...more,
  }
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]
}

/** Runs `handle` as SvelteKit does: after `page`, cookies can no longer be set. */
export function run(
  { handle }: Pick<SvelteKitAuthResult, 'handle'>,
  event: FakeEvent,
  page: (event: FakeEvent) => unknown = () => null,
): Promise<Response> {
  return handle({
    event,
    async resolve(given) {
      try {
        const made = await page(given)
        return made instanceof Response ? made : Response.json(made ?? null)
      } finally {
        event.cookies.set = () => {
          throw new Error('Cannot use `cookies.set(...)` after the response has been generated')
        }
      }
    },
  })
}

/** What was thrown, which is a redirect. */
export async function redirection(work: Promise<unknown>): Promise<FakeRedirect> {
  try {
    await work
  } catch (error) {
    if (error instanceof FakeRedirect) return error
    throw error
  }
  throw new Error('nothing was redirected')
}

/** The `Cookie` header of a browser that got these cookies. */
export const cookieHeader = ({ set }: FakeEvent): string =>
  [...set]
    .filter(([, { options }]) => options.maxAge !== 0)
    .map(([name, { value }]) => `${name}=${encodeURIComponent(value)}`)
    .join('; ')
