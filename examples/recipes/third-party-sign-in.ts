// A portal of the provider has a button that leads to an address of this application, the login initiation URI, and the application
// starts the sign-in (OpenID Connect Core 1.0, section 4). Register https://app.example/login there as `initiate_login_uri`.
//
// - `iss` must be the issuer of a provider that the application has. With several providers, look the id up in a list of yours.
// - `target_link_uri` comes from outside. `redirectTo` leads to this origin only, unless the `redirect` callback allows more.
// - Anybody can write such a link. So it changes nothing but who is signed in, and adds no account to the user who is signed in.
import express from 'express'
import { type AuthConfig, expressAuth, getSession, startSignIn } from 'latchkey'
import { oidcProvider } from 'latchkey/providers'

const issuer = process.env.ACME_ISSUER ?? 'https://id.acme.example'
const Acme = oidcProvider({ id: 'acme', name: 'Acme', issuer })
const config: AuthConfig = { providers: [Acme] }

const app = express()
app.use('/auth', expressAuth(config))

/** A parameter of the query; undefined unless it is there once, and is not too long. */
const parameter = (req: express.Request, name: string) => {
  const value = req.query[name]
  return typeof value === 'string' && value.length <= 1000 ? value : undefined
}

app.all('/login', express.urlencoded({ extended: false }), async (req, res) => {
  if (req.method === 'POST') {
    // Some portals send a form. A browser sends no cookies with it, so it is turned into a link.
    const fields = Object.entries(req.body ?? {}).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    )
    return res.redirect(303, `/login?${new URLSearchParams(fields)}`)
  }
  // Only for the provider that the application has. Another one could be of anybody.
  if (parameter(req, 'iss') !== issuer) return res.status(400).send('This link is of no provider of this application.')
  const hint = parameter(req, 'login_hint')
  await startSignIn(req, res, config, 'acme', {
    fromAnywhere: true,
    redirectTo: parameter(req, 'target_link_uri') ?? '/',
    authorizationParams: hint === undefined ? {} : { login_hint: hint },
  })
})

app.get('/', async (req, res) => {
  const session = await getSession(req, config)
  res.send(session ? `Hello, ${session.user?.name}` : 'Nobody is signed in.')
})

app.listen(3000)
