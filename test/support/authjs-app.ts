import Nodemailer from '@auth/core/providers/nodemailer'
import { ExpressAuth, type ExpressAuthConfig } from '@auth/express'
import PostgresAdapter from '@auth/pg-adapter'
import express from 'express'
import pg from 'pg'
import { listen, SECRET } from './app.js'

/**
 * An application on @auth/express with @auth/pg-adapter, in a process of its own: Auth.js remembers for the life of a process that one
 * configuration had an e-mail provider, and from then on refuses others that have no adapter (wire contract §16, 12).
 *
 * Tells the process that started it its origin, the links it sends, and what it logs as errors.
 */
const { POSTGRES_URL, POSTGRES_OPTIONS, OIDC_ISSUER } = process.env
const pool = new pg.Pool({ connectionString: POSTGRES_URL, options: POSTGRES_OPTIONS })
const tell = (message: object) => process.send?.(message)
const config: ExpressAuthConfig = {
  secret: SECRET,
  trustHost: true,
  adapter: PostgresAdapter(pool),
  session: { strategy: 'database' },
  providers: [
    { id: 'oidc', name: 'oidc', type: 'oidc', issuer: OIDC_ISSUER, clientId: 'client', clientSecret: 'secret' },
    Nodemailer({
      id: 'email',
      server: 'smtp://127.0.0.1:1',
      from: 'app@example.com',
      sendVerificationRequest: ({ identifier, url }) => void tell({ identifier, url }),
    }),
  ],
  logger: { error: (error) => void tell({ error: error.stack ?? error.message }), warn: () => {}, debug: () => {} },
}
const app = express()
app.use('/auth', ExpressAuth(config))
const { origin } = await listen(app)
process.once('disconnect', () => process.exit())
tell({ origin })
