// Sessions, links and tokens end.

import { it } from 'node:test'
import { signInAs, testClock } from 'latchkey/testing'
import request from 'supertest'
import { app, config } from './app.js'

it('ends a session after thirty days', async () => {
  const ada = await signInAs(config, { email: 'ada@example.com' })
  const clock = testClock()
  try {
    clock.advance({ days: 30, minutes: 1 })
    await request(app).get('/invoices').set('Cookie', ada.cookie).expect(401)
  } finally {
    clock.restore()
  }
})
