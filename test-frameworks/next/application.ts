import { freePort } from '../../test/support/free-port.js'
import { startOidcProvider } from '../../test/support/oidc-provider.js'
import { startMailServer } from '../../test/support/smtp.js'
import { type Answer, Visitor } from '../../test/support/visitor.js'
import { type BuiltExample, type ServedExample, serveExample } from '../support/built-example.js'

export const SECRET = 'a secret of this test, which is long enough'
export const CLIENT_SECRET = 'the secret of the client at the provider'
export const SESSION = 'authjs.session-token'
export const NEXT = 'node_modules/next/dist/bin/next'

/** The mount where `basePath` of `next.config` is `/shop`. */
export const MOUNT_IN_SHOP = '/shop/api/auth'

/** What the build knows, as that of somebody whose secrets are in the environment of the build, too. */
export const BUILD_ENV = { AUTH_SECRET: SECRET, AUTH_HARBOUR_ID: 'boats', AUTH_HARBOUR_SECRET: CLIENT_SECRET }

/** A built example, its servers, and the provider and the mail server that they use. */
export type NextApplication = Awaited<ReturnType<typeof startApplication>>

/** Serves a built example, with a provider and a mail server. */
export async function startApplication(example: BuiltExample) {
  const [port, shopPort] = [await freePort(), await freePort()]
  const redirects = [
    `http://localhost:${port}/api/auth/callback/harbour`,
    `http://localhost:${shopPort}${MOUNT_IN_SHOP}/callback/harbour`,
  ]
  const client = { client_id: 'boats', client_secret: CLIENT_SECRET, redirect_uris: redirects }
  const provider = await startOidcProvider({ clients: [client] })
  const mails = await startMailServer()
  const env: Record<string, string> = {
    ...BUILD_ENV,
    AUTH_HARBOUR_ISSUER: provider.issuer,
    MAIL_SERVER: mails.url,
    UPDATE_AGE: '0',
    NEXT_TELEMETRY_DISABLED: '1',
  }

  /** Serves the same build once more: what `more` says is set otherwise, or not set. */
  async function serve(more: Record<string, string | undefined> = {}, at?: number, command = 'start') {
    const own = at ?? (await freePort())
    const all = { ...env, AUTH_URL: `http://localhost:${own}`, ...more }
    const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    return serveExample(example, [NEXT, command, '-p', String(own)], { port: own, env: Object.fromEntries(given) })
  }

  const served = await serve({}, port)
  return {
    example,
    provider,
    mails,
    env,
    served,
    shopPort,
    origin: served.origin,
    serve,
    signedIn: (name?: string) => signedIn(served, name),
    async stop() {
      await served.stop()
      await mails.close()
      await provider.stop()
    },
  }
}

/** The headers that a browser sends with a form of a page of the application. */
export const own = (origin: string) => ({ origin, 'sec-fetch-site': 'same-origin', referer: `${origin}/` })

/** Sends a form of a page as a browser without JavaScript does. */
export async function submit(
  visitor: Visitor,
  id: string,
  {
    page = '/',
    fields = {},
    repeated = [],
    headers = own(visitor.origin),
  }: {
    readonly page?: string
    readonly fields?: Readonly<Record<string, string>>
    /** Fields that are sent a second time, at the end. */
    readonly repeated?: readonly (readonly [name: string, value: string])[]
    readonly headers?: Record<string, string>
  } = {},
): Promise<Answer> {
  const inputs = formOf((await visitor.get(page)).text, id)
  const body = new FormData()
  for (const [name, value] of inputs) body.append(name, fields[name] ?? value)
  for (const [name, value] of repeated) body.append(name, value)
  const request = new Request(visitor.origin, { method: 'POST', body })
  return visitor.visit(page, {
    method: 'POST',
    body: Buffer.from(await request.arrayBuffer()).toString('latin1'),
    headers: { 'content-type': request.headers.get('content-type') ?? '', ...headers },
  })
}

/** Names and values of the inputs of a form, with those that Next.js adds to name the action. */
export function formOf(html: string, id: string): ReadonlyMap<string, string> {
  const form = new RegExp(`<form id="${id}"[^>]*>(.*?)</form>`, 's').exec(html)?.[1]
  if (form === undefined) throw new Error(`no form ${id} in ${html}`)
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([input]): [string, string] => [
    /name="([^"]*)"/.exec(input)?.[1] ?? '',
    (/value="([^"]*)"/.exec(input)?.[1] ?? '').replaceAll('&quot;', '"'),
  ])
  return new Map(inputs)
}

/** The id by which a script calls the action of a form. */
export function actionOf(html: string, id: string): string {
  const action = [...formOf(html, id).keys()].find((name) => name.startsWith('$ACTION_ID_'))
  if (action === undefined) throw new Error(`the form ${id} names no action`)
  return action.slice('$ACTION_ID_'.length)
}

async function signedIn({ origin }: ServedExample, name?: string): Promise<Visitor> {
  const visitor = new Visitor(origin)
  await submit(visitor, 'quietly')
  if (!visitor.jar.has(SESSION)) throw new Error('Nobody was signed in.')
  if (name !== undefined) await submit(visitor, 'rename', { fields: { name } })
  return visitor
}
