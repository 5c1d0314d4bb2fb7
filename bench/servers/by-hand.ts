import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import express, { type CookieOptions, type Request } from 'express'
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose'
import * as client from 'openid-client'
import { CLIENT, CREDENTIALS, SECRET } from '../people.js'

const LIFETIME = { transaction: 15 * 60, session: 24 * 60 * 60 }
const OPTIONS = { httpOnly: true, sameSite: 'lax', path: '/' } as const satisfies CookieOptions
const KEY = hash('sha256', SECRET, 'buffer')

/**
 * The least that a sign-in with credentials can be: a CSRF token whose digest is in a cookie, and the claims of the session in another
 * one, which is sealed. Or, with an `issuer`, the least that one at a provider can be: openid-client is called by hand, with state, PKCE and nonce in one sealed cookie, the signature
 * of the ID token is verified, and the claims of the session are in another sealed cookie. It is no application to copy: there is no
 * look at anything that can go wrong.
 */
export async function serve(origin: string, { issuer }: { readonly issuer?: string }): Promise<express.Express> {
  const app = express()
  if (issuer === undefined) addCredentials(app)
  else await addProvider(app, origin, issuer)
  app.get('/hello', async (req, res) => {
    try {
      res.json({ hello: (await unseal(req, 'session'))['name'] })
    } catch {
      res.status(401).end()
    }
  })
  return app
}

function addCredentials(app: express.Express): void {
  const digestOf = (token: string) => hash('sha256', token + SECRET)
  app.get('/auth/csrf', (_req, res) => {
    const csrfToken = randomBytes(32).toString('hex')
    res.cookie('csrf', digestOf(csrfToken), OPTIONS)
    res.json({ csrfToken })
  })
  app.post('/auth/callback/credentials', express.urlencoded(), async (req, res) => {
    const { csrfToken = '', person } = req.body
    if (!timingSafeEqual(Buffer.from(digestOf(csrfToken)), Buffer.from(cookieOf(req, 'csrf'))))
      return res.status(403).end()
    const { id: sub, name, email } = CREDENTIALS.authorize({ person })
    const maxAge = LIFETIME.session
    res.cookie('session', await seal({ sub, name, email }, maxAge), { ...OPTIONS, maxAge: maxAge * 1000 })
    return res.redirect('/')
  })
}

async function addProvider(app: express.Express, origin: string, issuer: string): Promise<void> {
  const configuration = await client.discovery(
    new URL(issuer),
    CLIENT.clientId,
    undefined,
    client.ClientSecretBasic(CLIENT.clientSecret),
    { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
  )
  app.get('/login', async (_req, res) => {
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: `${origin}/callback`,
      scope: 'openid profile email',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const maxAge = LIFETIME.transaction
    res.cookie('transaction', await seal({ state, nonce, verifier }, maxAge), { ...OPTIONS, maxAge: maxAge * 1000 })
    res.redirect(url.href)
  })
  app.get('/callback', async (req, res) => {
    const { state, nonce, verifier } = await unseal(req, 'transaction')
    const tokens = await client.authorizationCodeGrant(configuration, new URL(req.url, origin), {
      expectedState: String(state),
      expectedNonce: String(nonce),
      pkceCodeVerifier: String(verifier),
      idTokenExpected: true,
    })
    const { sub, name, email } = tokens.claims() as client.IDToken
    const maxAge = LIFETIME.session
    res.clearCookie('transaction', OPTIONS)
    res.cookie('session', await seal({ sub, name, email }, maxAge), { ...OPTIONS, maxAge: maxAge * 1000 })
    res.redirect('/')
  })
}

const seal = (claims: JWTPayload, seconds: number): Promise<string> =>
  new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt()
    .setExpirationTime(`${seconds} s`)
    .encrypt(KEY)

const unseal = async (req: Request, name: string): Promise<JWTPayload> =>
  (await jwtDecrypt(cookieOf(req, name), KEY)).payload

function cookieOf({ headers }: Request, name: string): string {
  const pairs = (headers.cookie ?? '').split('; ').map((pair) => pair.split('='))
  return pairs.find(([found]) => found === name)?.[1] ?? ''
}
