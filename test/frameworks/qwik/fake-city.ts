import type { QwikActionEvent } from '../../../lib/frameworks/qwik/event.js'
import { hookWork } from '../../../lib/frameworks/qwik/operations.js'
import { handlersOf, type QwikAuthSource } from '../../../lib/frameworks/qwik/qwik-auth.js'
import { ORIGIN } from '../../support/web-app.js'

/** What stands for the end of a request, as Qwik City throws it. */
export class Abort {}

/** An event, with what the answer would be. `test-frameworks/qwik.test.ts` runs the same in Qwik City itself. */
export interface FakeEvent extends QwikActionEvent {
  /** Values and attributes of cookies. */
  readonly set: Map<string, string>
  answered: { readonly status: number; readonly body: string; readonly location: string | null } | null
  /** Begins the answer: from now on no header can be set. */
  getWritableStream(): void
  headersSent: boolean
}

interface EventOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly platform?: object
}

/** An event whose URL has the origin that the server made up. */
export function eventAt(path: string, { method = 'GET', headers = {}, platform = {} }: EventOptions = {}): FakeEvent {
  const request = new Request(`http://inner:3000${path}`, { method, headers })
  const url = new URL(request.url)
  url.pathname = url.pathname.replace(/q-data\.json$/, '')
  const set = new Map<string, string>()
  const event: FakeEvent = {
    request,
    url,
    platform,
    set,
    headers: new Headers(),
    cookie: { set: (name, value) => set.set(name, value) },
    sharedMap: new Map(),
    answered: null,
    headersSent: false,
    getWritableStream() {
      event.headersSent = true
    },
    send(given: number | Response, body?: string) {
      if (given instanceof Response) {
        for (const [name, value] of given.headers) if (name !== 'set-cookie') event.headers.append(name, value)
        for (const cookie of given.headers.getSetCookie()) {
          const at = cookie.indexOf('=')
          set.set(cookie.slice(0, at), cookie.slice(at + 1))
        }
      }
      event.getWritableStream()
      const status = typeof given === 'number' ? given : given.status
      event.answered = { status, body: body ?? '', location: event.headers.get('location') }
      return new Abort()
    },
    fail: (status, data) => ({ ...data, status, failed: true as const }),
  }
  return event
}

export * as operations from '../../../lib/frameworks/qwik/operations.js'

const valid = { validate: async (_: unknown, data: unknown) => ({ success: true, data }) }
export const work = hookWork({
  serialize: async (data) => JSON.stringify(data),
  checks: { signIn: valid, signOut: valid },
})

export const handlers = (source: QwikAuthSource) => handlersOf(source, work)

/** Runs the handler of a request to its end. */
export async function run(handler: (event: FakeEvent) => Promise<unknown>, event: FakeEvent): Promise<FakeEvent> {
  await handler(event).catch((error: unknown) => {
    if (!(error instanceof Abort)) throw error
  })
  return event
}

/** The cookies of a browser that got an answer. */
export const cookiesOf = ({ set }: FakeEvent): string =>
  [...set]
    .filter(([, text]) => !/max-age=0/i.test(text))
    .map(([name, text]) => `${name}=${text.split(';', 1)[0]}`)
    .join('; ')

/** What a browser says when a page of the application sends a request. */
export const ownPage = (cookie = '') => ({ origin: ORIGIN, 'sec-fetch-site': 'same-origin', cookie })
