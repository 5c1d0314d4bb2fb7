// The hooks for components import this file, so it gets into files for browsers: it imports no code of the server.

/**
 * As much of a request event of Qwik City as Latchkey reads: what `onRequest`, loaders, actions and the functions of
 * `server$` (there as `this`) get.
 */
export interface QwikEvent {
  readonly request: Request
  /** The address of the page, also for a request of its data; after a rewrite, the new one. */
  readonly url: URL
  /** The headers of the answer. */
  readonly headers: Headers
  readonly cookie: { set(name: string, value: string): void }
  /** Values of this request. */
  readonly sharedMap: Map<string, unknown>
  readonly platform?: object
  /** The client, as the adapter of Qwik City knows it. */
  readonly clientConn?: { readonly ip?: string }
  /** Whether the answer has begun, so that no header can be set. Events of loaders and actions have it, too. */
  readonly headersSent?: boolean
}

/** An event of `onRequest`, of a loader or of an action, which can end the request. */
export interface QwikHandlerEvent extends QwikEvent {
  /** Ends the request with an answer; what it returns must be thrown. */
  send(response: Response): Error | object
  /** As `send(response)`. */
  send(status: number, body: string): Error | object
}

/** An event of an action. */
export interface QwikActionEvent extends QwikHandlerEvent {
  fail<Data extends object>(status: number, data: Data): Data & { readonly failed: true }
}

/** The name, among the values of a request, of what the hooks do on the server. */
export const HOOK_WORK = '@latchkey'

/** Where Qwik City keeps the fields of a submitted form for the page of the answer. */
const FORM_DATA = '@actionFormData'

/** Forgets the fields of the submitted form. Qwik City would put them into the page of the answer: also a password. */
export const forgetFields = ({ sharedMap }: QwikEvent): boolean => sharedMap.delete(FORM_DATA)

/** What Qwik City adds to the path of a page whose data are asked for. */
const DATA = '/q-data.json'

/** Whether the script of Qwik City asks for the data of a page, or posts a form in place of the browser. */
export const isDataRequest = ({ request }: QwikEvent): boolean => new URL(request.url).pathname.endsWith(DATA)

/** The address of the page that a request is about, without what Qwik City adds to it. */
export function pageOf({ url }: QwikEvent): string {
  const page = new URL(url)
  for (const name of ['qaction', 'qdata', 'qfunc']) page.searchParams.delete(name)
  return page.pathname + page.search
}

/** Whether Qwik City makes files of pages while it builds the application. Nobody is signed in then. */
export const isBuilding = ({ platform = {} }: QwikEvent): boolean => 'static' in platform && platform.static === true

/**
 * What `latchkey/web` must know of an event beside its request. The adapter of Qwik City has read the forwarded headers that
 * its settings trust (`ORIGIN`, `PROTOCOL_HEADER`, `HOST_HEADER`), and `event.url` is the result: Qwik City itself compares
 * it with the sender of every form. So the headers of the request are read without them.
 */
export const factsOf = (event: QwikEvent) =>
  ({
    protocol: event.url.protocol === 'https:' ? 'https' : 'http',
    host: event.url.host,
    clientAddress: () => event.clientConn?.ip,
  }) as const

/** Ends a request with an answer, whatever headers were set before it. */
export function answerWith(event: QwikHandlerEvent, response: Response): never {
  for (const name of response.headers.keys()) if (name !== 'set-cookie') event.headers.delete(name)
  throw event.send(response)
}
