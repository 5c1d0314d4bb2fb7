// Pages of connected accounts, and of where a user is signed in. They need no script: the forms post to the mount, and come back.
import express from 'express'
import { type AuthConfig, csrfToken, expressAuth, listAccounts, listSessions, requireAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import GitHub from 'latchkey/providers/github'

const config: AuthConfig = { providers: [GitHub], adapter: memoryAdapter() }

const app = express()
app.use('/auth', expressAuth(config))

app.get('/account', requireAuth(config), async (req, res) => {
  const hidden = `<input type="hidden" name="csrfToken" value="${await csrfToken(req, res, config)}">
    <input type="hidden" name="callbackUrl" value="/account">`
  const items = (await listAccounts(req, config)).map(
    ({ id, name, isOnlyWayIn }) => `<li>${name}${isOnlyWayIn ? ' (your only way to sign in)' : ''}
      <form method="post" action="/auth/accounts/unlink">${hidden}<button name="id" value="${id}">Disconnect</button></form></li>`,
  )
  res.send(`<ul>${items.join('')}</ul><a href="/auth/link/github?callbackUrl=/account">Connect GitHub</a>`)
})

app.get('/account/sessions', requireAuth(config), async (req, res) => {
  const hidden = `<input type="hidden" name="csrfToken" value="${await csrfToken(req, res, config)}">
    <input type="hidden" name="callbackUrl" value="/account/sessions">`
  const items = (await listSessions(req, config)).map(
    ({ id, isCurrent, browser, system }) => `<li>${browser ?? 'Unknown browser'} on ${system ?? 'an unknown system'}
      <form method="post" action="/auth/sessions/revoke">${hidden}
        <button name="id" value="${id}">${isCurrent ? 'Sign out here' : 'Sign out there'}</button></form></li>`,
  )
  res.send(`<ul>${items.join('')}</ul>
    <form method="post" action="/auth/sessions/revoke">${hidden}<button name="others" value="true">Sign out everywhere else</button></form>`)
})

app.listen(3000)
