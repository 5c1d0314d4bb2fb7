import express from 'express'
import { expressAuth, requireAuth } from 'latchkey'
import { redisAdapter } from 'latchkey/adapters/redis'
import { migrateToLatest, sqlAdapter } from 'latchkey/adapters/sql'
import Nodemailer from 'latchkey/providers/nodemailer'
import Passkey from 'latchkey/providers/passkey'

const { MAIL_SERVER, POSTGRES_URL, MARIADB_URL, SQLITE_FILE, REDIS_URL, REDIS_PREFIX } = process.env

const databases = {
  postgres: { url: POSTGRES_URL },
  mariadb: { url: MARIADB_URL },
  sqlite: { sqlite: SQLITE_FILE },
}
const stores = {
  ...Object.fromEntries(Object.entries(databases).map(([name, database]) => [name, sqlAdapter(database)])),
  redis: redisAdapter({ url: REDIS_URL }, { prefix: REDIS_PREFIX }),
}

const app = express()
for (const [name, adapter] of Object.entries(stores)) {
  const config = {
    secret: 'a secret that is long enough for anything',
    basePath: `/${name}/auth`,
    adapter,
    providers: [Nodemailer({ server: MAIL_SERVER, from: 'app@example.com' }), Passkey()],
  }
  app.use(config.basePath, expressAuth(config))
  app.get(`/${name}/private`, requireAuth(config), (_req, res) => res.json(res.locals.session))
}
// Without `await` at the top level, which a bundle in CommonJS cannot have.
Promise.all(Object.values(databases).map((database) => migrateToLatest(database))).then(() => {
  const server = app.listen(0, 'localhost', () => console.log(JSON.stringify(server.address())))
})
