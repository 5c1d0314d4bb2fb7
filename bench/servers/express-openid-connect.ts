import express from 'express'
import openIdConnect from 'express-openid-connect'
import { CLIENT, SECRET } from '../people.js'

/** A route behind `requiresAuth`, and the routes of the package. */
export function serve(origin: string, { issuer }: { readonly issuer: string }): express.Express {
  const app = express()
  app.use(
    openIdConnect.auth({
      baseURL: origin,
      issuerBaseURL: issuer,
      clientID: CLIENT.clientId,
      clientSecret: CLIENT.clientSecret,
      secret: SECRET,
      authRequired: false,
      // Visitors without a session get 401, as in the other servers, and are not redirected to the provider.
      errorOnRequiredAuth: true,
      authorizationParams: { response_type: 'code', scope: 'openid profile email' },
    }),
  )
  app.get('/hello', openIdConnect.requiresAuth(), (req, res) => void res.json({ hello: req.oidc.user?.['name'] }))
  return app
}
