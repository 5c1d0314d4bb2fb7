// The application, listening at a port that is free.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { createApp } from './create-app.js'

export const { app, config } = createApp({})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
export const origin = `http://localhost:${(server.address() as AddressInfo).port}`

after(() => {
  server.close()
  server.closeAllConnections()
})
