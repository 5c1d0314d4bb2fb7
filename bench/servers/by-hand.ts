import { hash } from 'node:crypto'
import express, { type CookieOptions, type Request } from 'express'
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose'
import * as client from 'openid-client'
import { CLIENT, SECRET } from '../people.js'

const LIFETIME = { transaction: 15 * 60, session: 24 * 60 * 60 }
const OPTIONS = { httpOnly: true, sameSite: 'lax', path: '/' } as const satisfies CookieOptions
const KEY = hash('sha256', SECRET, 'buffer')

/**
 * The least that a sign-in can be: openid-client is called by hand, with state, PKCE and nonce in one sealed cookie, the signature
 * of the ID token is verified, and the claims of the session are in another sealed cookie. It is no application to copy: there is no
 * look at anything that can go wrong.
 */
export async function serve(origin: string, { issuer }: { readonly issuer: string }): Promise<express.Express> {
  const configuration = await client.discovery(
    new URL(issuer),
    CLIENT.clientId,
    undefined,
    client.ClientSecretBasic(CLIENT.clientSecret),
    { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
  )
  const app = express()
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
  app.get('/hello', async (req, res) => {
    try {
      res.json({ hello: (await unseal(req, 'session'))['name'] })
    } catch {
      res.status(401).end()
    }
  })
  return app
}

const seal = (claims: JWTPayload, seconds: number): Promise<string> =>
  new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt()
    .setExpirationTime(`${seconds} s`)
    .encrypt(KEY)

async function unseal({ headers }: Request, name: string): Promise<JWTPayload> {
  const pairs = (headers.cookie ?? '').split('; ').map((pair) => pair.split('='))
  return (await jwtDecrypt(pairs.find(([found]) => found === name)?.[1] ?? '', KEY)).payload
}
