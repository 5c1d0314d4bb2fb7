import { createSign, generateKeyPairSync } from 'node:crypto'
import express from 'express'
import openIdConnect from 'express-openid-connect'
import { emailOf, nameOf, personIn } from '../harness/people.js'

/** Which express-openid-connect is served. */
export interface ExpressOpenIdConnectOptions {
  /** The OpenID provider; without one, sessions come from the route `/sign-in`. */
  readonly issuer?: string
}

/** A route behind `requiresAuth`, and the sign-in routes. */
export function serve(origin: string, { issuer }: ExpressOpenIdConnectOptions) {
  const app = express()
  app.use(
    openIdConnect.auth({
      baseURL: origin,
      issuerBaseURL: issuer ?? 'http://127.0.0.1:9',
      clientID: 'express-openid-connect',
      secret: 'a secret of the benchmark, thirty-two characters or more',
      authRequired: false,
      // Strangers get 401, as everywhere else here, in place of a redirect that needs the provider.
      errorOnRequiredAuth: true,
      ...(issuer === undefined
        ? {}
        : {
            clientSecret: 'the secret of express-openid-connect',
            authorizationParams: { response_type: 'code', scope: 'openid profile email' },
          }),
    }),
  )
  app.get('/hello', openIdConnect.requiresAuth(), (req, res) => void res.json({ hello: req.oidc.user?.['name'] }))
  app.post('/sign-in', signIn(origin))
  return app
}

/** Puts into the session what a sign-in puts there; the package seals it into its own cookie. */
function signIn(origin: string): express.RequestHandler {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return (req, res) => {
    const person = personIn(req.query['person'])
    const now = Math.floor(Date.now() / 1000)
    const claims = { sub: String(person), name: nameOf(person), email: emailOf(person), email_verified: true }
    const content = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'the-key-of-the-provider' })}.${encode({
      ...claims,
      iss: origin,
      aud: 'express-openid-connect',
      iat: now,
      exp: now + 3600,
    })}`
    const signature = createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')
    Object.assign(req['appSession' as keyof typeof req], {
      id_token: `${content}.${signature}`,
      access_token: signature.slice(0, 43),
      token_type: 'Bearer',
      expires_at: now + 3600,
    })
    res.status(204).end()
  }
}
