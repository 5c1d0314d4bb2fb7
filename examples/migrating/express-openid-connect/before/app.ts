import express from 'express'
import openIdConnect from 'express-openid-connect'
import { notesOf } from '../notes.js'

const { auth, requiresAuth } = openIdConnect
const { BASE_URL = '', ISSUER_BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', SECRET = '' } = process.env

const app = express()
app.use(
  auth({
    authRequired: false,
    baseURL: BASE_URL,
    issuerBaseURL: ISSUER_BASE_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SECRET,
    idpLogout: true,
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
  }),
)

app.get('/', (req, res) => {
  res.send(req.oidc.isAuthenticated() ? '<a href="/logout">Sign out</a>' : '<a href="/login">Sign in</a>')
})

app.get('/notes', requiresAuth(), (req, res) => {
  const { sub = '', name } = req.oidc.user ?? {}
  res.json({ name, notes: notesOf(sub) })
})

app.listen(process.env['PORT'] ?? 3000, () => console.log(BASE_URL))
