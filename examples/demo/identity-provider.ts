import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express, type RequestHandler } from 'express'
import { exportJWK, generateKeyPair } from 'jose'
import type { ClientMetadata, Configuration, JWKS, Provider } from 'oidc-provider'
import { html } from './html.js'
import { assets, type Page, renderPage, sendPage } from './layout.js'

/** A real OpenID provider on its own port, and what an application needs to sign in with it. */
export interface IdentityProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  close(): void
}

/** A person with an account at this provider, as typed into its form. */
interface Person {
  readonly name: string
  readonly email: string
}

/**
 * Starts an OpenID provider that accepts any name and e-mail address, and asks for no password. It is reachable from
 * this machine only. In everything else it is a real provider, with discovery, PKCE and signed ID tokens.
 *
 * @param home URL of the application, for the way back
 */
export async function startIdentityProvider(home: string, redirectUris: string[]): Promise<IdentityProvider> {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const client = { client_id: 'paper-boats', client_secret: randomBytes(32).toString('base64url') }
  const people = new Map<string, Person>()
  const configuration = await configure({ ...client, redirect_uris: redirectUris }, people, home)
  const provider = await quietly(async () => new (await import('oidc-provider')).Provider(issuer, configuration))
  addPages(app, provider, people, home)
  return { issuer, clientId: client.client_id, clientSecret: client.client_secret, close: () => close(server) }
}

async function configure(
  client: ClientMetadata,
  people: ReadonlyMap<string, Person>,
  home: string,
): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return {
    clients: [client],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig' }] } as JWKS,
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // The ID token then has the name and the address, so the application needs no second call.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Session: 3600, Interaction: 3600, Grant: 3600, AccessToken: 3600, IdToken: 3600, AuthorizationCode: 60 },
    expiresWithSession: () => false,
    findAccount: (_ctx, sub) => {
      const person = people.get(sub)
      return person && { accountId: sub, claims: () => ({ sub, ...person, email_verified: true }) }
    },
    // The sign-in page has asked for consent, too.
    async loadExistingGrant(ctx) {
      const { client, session, provider } = ctx.oidc
      if (!client || !session?.accountId) return undefined
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    renderError(ctx, { error, error_description: description }) {
      const page = over(home)
      const body = html`${page.body}<p class="center muted"><code>${error}</code> ${description}</p>`
      const { headers, text } = renderPage({ ...page, body })
      ctx.set(headers)
      ctx.body = text
    },
  }
}

function addPages(app: Express, provider: Provider, people: Map<string, Person>, home: string): void {
  app.use(assets('provider'))

  app.get('/interaction/:uid', async (req, res) => {
    const { uid } = await provider.interactionDetails(req, res)
    sendPage(res, {
      title: 'Sign in',
      site: 'provider',
      formTargets: ["'self'", 'http://localhost:*', 'http://127.0.0.1:*'],
      body: html`<section class="card narrow">
        <h1>Sign in with Harbour ID</h1>
        <p class="muted">Paper Boats will get your name and your e&#8209;mail address.</p>
        <form method="post" action="/interaction/${uid}">
          <label for="name">Name</label>
          <input id="name" name="name" type="text" value="Grace Hopper" maxlength="60" autocomplete="off" required>
          <label for="email">E-mail address</label>
          <input id="email" name="email" type="email" value="grace@example.com" maxlength="120" autocomplete="off" required>
          <div class="stack">
            <button class="button" name="answer" value="continue">Continue to Paper Boats</button>
            <button name="answer" value="cancel" class="button plain" formnovalidate>Cancel</button>
          </div>
        </form>
        <p class="muted fine">This provider is part of the demo. It runs on your machine, and accepts everything that you enter.</p>
      </section>`,
    })
  })

  app.post('/interaction/:uid', express.urlencoded({ extended: false, limit: '4kb' }), async (req, res) => {
    const { answer, name, email } = req.body as Record<string, unknown>
    const person = answer === 'continue' ? personFrom(name, email) : null
    if (!person) {
      const result = { error: 'access_denied', error_description: 'The user cancelled the sign-in.' }
      return provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false })
    }
    const accountId = createHash('sha256').update(person.email).digest('hex').slice(0, 32)
    people.set(accountId, person)
    const result = { login: { accountId, remember: false } }
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false })
  })

  app.use(forgetSignIns, provider.callback())

  app.use((_error: unknown, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    sendPage(res, { ...over(home), status: 400 })
  })
}

function personFrom(name: unknown, email: unknown): Person | null {
  if (typeof name !== 'string' || typeof email !== 'string') return null
  const person = { name: name.trim().slice(0, 60), email: email.trim().toLowerCase().slice(0, 120) }
  return person.name !== '' && /^[^\s@]+@[^\s@]+$/.test(person.email) ? person : null
}

/** Each sign-in asks for a name and an address, so that you can sign in as another person each time. */
const forgetSignIns: RequestHandler = (req, _res, next) => {
  const pairs = req.headers.cookie?.split('; ').filter((pair) => !pair.startsWith('_session'))
  if (pairs) req.headers.cookie = pairs.join('; ')
  next()
}

const over = (home: string): Page => ({
  title: 'Sign-in has ended',
  site: 'provider',
  body: html`<section class="card narrow">
    <h1>This sign-in has ended</h1>
    <p class="muted">It was completed before, or it has expired. Start again at Paper Boats.</p>
    <p><a class="button" href="${home}">Back to Paper Boats</a></p>
  </section>`,
})

/** Runs `work` without the library's warnings about production: this provider is never in production. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn, info } = console
  console.warn = console.info = () => {}
  try {
    return await work()
  } finally {
    Object.assign(console, { warn, info })
  }
}

function close(server: Server): void {
  server.close()
  server.closeAllConnections()
}
