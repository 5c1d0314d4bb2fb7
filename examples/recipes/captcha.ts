// A CAPTCHA where a password could be guessed and a mail could be sent. `limits.mayTry` is asked before Latchkey looks at either; the
// limits of Latchkey hold beside it.
//
// - The sign-in page is the application's own, because the script comes from another host.
// - A browser with which the person has signed in before is not asked.
// - Where the service does not answer, mayTry throws, and nobody signs in with a password. Catch that if your people are
//   safer with the limits alone.
// - For a CAPTCHA only where somebody has tried often, ask where `retryAfter` is above 0, and return true for a solved one.
import express from 'express'
import { type AuthConfig, csrfToken, expressAuth } from 'latchkey'
import Credentials from 'latchkey/providers/credentials'

/** What differs between the services. */
const SERVICES = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    verify: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    prefix: 'cf-turnstile',
  },
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js',
    verify: 'https://api.hcaptcha.com/siteverify',
    prefix: 'h-captcha',
  },
  recaptcha: {
    script: 'https://www.google.com/recaptcha/api.js',
    verify: 'https://www.google.com/recaptcha/api/siteverify',
    prefix: 'g-recaptcha',
  },
}

const { CAPTCHA_SITE_KEY = '', CAPTCHA_SECRET = '', CAPTCHA_HOST = 'localhost' } = process.env
const service = SERVICES.turnstile

/** Whether an answer is right. Each answer counts once, at the service. */
async function isSolved(response: unknown): Promise<boolean> {
  if (typeof response !== 'string' || response === '' || response.length > 4096) return false
  const answer = await fetch(service.verify, {
    method: 'POST',
    body: new URLSearchParams({ secret: CAPTCHA_SECRET, response }),
    signal: AbortSignal.timeout(5000),
  })
  const { success, hostname } = await answer.json()
  return success === true && hostname === CAPTCHA_HOST
}

const config: AuthConfig = {
  pages: { signIn: '/login' },
  providers: [
    Credentials({
      credentials: { email: { type: 'email' }, password: { type: 'password' } },
      authorize: ({ email, password }) =>
        email === 'ada@example.com' && password === 'analytical engine' ? { id: '1815', email } : null,
    }),
  ],
  limits: {
    async mayTry({ kind, isKnownBrowser, fields }) {
      if (kind === 'requests' || isKnownBrowser) return undefined
      return (await isSolved(fields[`${service.prefix}-response`])) ? undefined : '/login?error=Captcha'
    },
  },
}

const app = express()
// Behind one proxy, `req.ip` is the visitor's address, by which Latchkey counts tries.
app.set('trust proxy', 1)
app.use('/auth', expressAuth(config))

app.get('/login', async (req, res) => {
  const token = await csrfToken(req, res, config)
  const isWrong = req.query.error !== undefined
  res.send(`<!doctype html>
<html lang="en">
<title>Sign in</title>
<script src="${service.script}" async defer></script>
<form method="post" action="/auth/callback/credentials">
  ${isWrong ? '<p role="alert">That did not work. Please try again.</p>' : ''}
  <input type="hidden" name="csrfToken" value="${token}">
  <label>E-mail <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <div class="${service.prefix}" data-sitekey="${CAPTCHA_SITE_KEY}"></div>
  <button>Sign in</button>
</form>
</html>`)
})

app.listen(3000)
