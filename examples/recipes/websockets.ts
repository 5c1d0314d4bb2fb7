// Visitors who are signed in get messages over a WebSocket, which is closed soon after they sign out, wherever they do it.
//
// - Use `upgradeSession` and not `getSession`: browsers let every site open a WebSocket with the visitor's cookies, so somebody
//   must look at `Origin`.
// - `checkEvery` is in seconds. After a sign-out, a connection lives at most so long.
// - In the page: new WebSocket(`wss://${location.host}/chat`), and a listener to `close` that leads to /auth/signin for the
//   code 4401.
import { createServer } from 'node:http'
import express from 'express'
import { type AuthConfig, expressAuth, upgradeSession } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import GitHub from 'latchkey/providers/github'
import { WebSocket, WebSocketServer } from 'ws'

// Stored sessions: a sign-out on another device counts, too.
const config: AuthConfig = { providers: [GitHub], adapter: memoryAdapter() }

const app = express()
app.use('/auth', expressAuth(config))

const server = createServer(app)
const sockets = new WebSocketServer({ noServer: true })

server.on('upgrade', async (req, socket, head) => {
  socket.on('error', () => socket.destroy())
  const upgrade = await upgradeSession(req, config, { checkEvery: 10 })
  if (upgrade.status !== 101) {
    socket.end(`HTTP/1.1 ${upgrade.status} Refused\r\nConnection: close\r\n\r\n`)
    return
  }
  const name = upgrade.session.user?.name ?? 'Somebody'
  sockets.handleUpgrade(req, socket, head, (connection) => {
    // 4401 is a number of this application: the page asks the visitor to sign in.
    upgrade.signal.addEventListener('abort', () => connection.close(4401, 'Sign in again.'))
    // A frame that is not valid makes an `error`, and without a listener it would end the process.
    connection.on('error', () => connection.terminate())
    connection.on('message', (text) => {
      for (const each of sockets.clients) {
        if (each.readyState === WebSocket.OPEN) each.send(`${name}: ${text}`)
      }
    })
  })
})

server.listen(3000)
