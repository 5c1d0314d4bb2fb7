// Latchkey does not count requests. express-rate-limit in front of the mount does: failed passwords for each network address and
// each account, and mails for each recipient. Who reaches a limit gets 429 with Retry-After.
//
// - Whatever looks at `req.body` before the mount, such as a captcha, needs `refuseUnread`, too: a body that no parser has read
//   must not pass.
// - Limit the whole mount, as here, and not single paths: a path has many spellings.
// - The last limit counts all requests with an address, and so the mails that one person can get.
// - A limit for each account lets a stranger lock somebody out for a while. Ten attempts in fifteen minutes are enough for people,
//   and too few for guessing. A passkey or a provider works meanwhile.
// - A route of your own that calls `startSignIn` needs the limits, too.
// - This counts in the memory of one process. Several processes share a store, such as rate-limit-redis.
import express, { type Request, type RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { type AuthConfig, expressAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import Credentials from 'latchkey/providers/credentials'
import Nodemailer from 'latchkey/providers/nodemailer'

/** Your own check of a password. */
const findUser = async (email: unknown, password: unknown) =>
  email === 'ada@example.com' && password === 'analytical engine' ? adapter.getUserByEmail('ada@example.com') : null

const adapter = memoryAdapter()
await adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: new Date() })

const config: AuthConfig = {
  adapter,
  providers: [
    Credentials({
      credentials: { email: { type: 'email' }, password: { type: 'password' } },
      authorize: ({ email, password }) => findUser(email, password),
    }),
    Nodemailer({ server: process.env.SMTP_URL ?? '', from: 'no-reply@app.example' }),
  ],
  callbacks: { confirmEmail: () => true },
}

const app = express()
// Behind one proxy, `req.ip` is the visitor's address. Without this line it would be that of the proxy, the same for all.
app.set('trust proxy', 1)

const MINUTE = 60_000
const headers = { standardHeaders: 'draft-8', legacyHeaders: false } as const
/** A redirect that tells no error, so that people who type their password correctly never reach a limit. */
const failuresOnly = {
  skipSuccessfulRequests: true,
  requestWasSuccessful: (_req: Request, res: express.Response) =>
    res.statusCode < 400 && !String(res.getHeader('location')).includes('error='),
}
/** Latchkey would read a body that the parsers have left alone, and no limit would have seen its fields. */
const refuseUnread: RequestHandler = (req, res, next) => {
  if (req.method !== 'POST' || req.readableDidRead || req.headers['content-length'] === '0') next()
  else res.status(415).end()
}
/** Counts the requests that name an account or a recipient, and not those of everybody else together. */
const perAccount = {
  skip: (req: Request) => req.body?.email === undefined,
  // As Latchkey writes addresses, so that another spelling does not count apart. The length comes first: folding a long text
  // takes long, and no longer text is an address.
  keyGenerator: (req: Request) => String(req.body.email).slice(0, 1000).normalize('NFKC').trim().toLowerCase(),
}

app.use(
  '/auth',
  // Parsers first: a limit for each account needs the fields.
  express.urlencoded({ extended: false, limit: '64kb' }),
  express.json({ limit: '64kb' }),
  refuseUnread,
  rateLimit({ ...headers, ...failuresOnly, windowMs: 15 * MINUTE, limit: 30, skip: (req) => req.method !== 'POST' }),
  rateLimit({ ...headers, ...failuresOnly, ...perAccount, windowMs: 15 * MINUTE, limit: 10 }),
  rateLimit({ ...headers, ...perAccount, windowMs: 60 * MINUTE, limit: 20 }),
  expressAuth(config),
)

app.listen(3000)
