// A form that is posted to the mount, or to a route with `verifyCsrfToken`.

import { it } from 'node:test'
import { csrfFor, signInAs } from 'latchkey/testing'
import request from 'supertest'
import { app, config } from './app.js'

it('signs Ada out', async () => {
  const ada = await signInAs(config, { email: 'ada@example.com' })
  const { csrfToken, cookie } = await csrfFor(config, ada)
  await request(app).post('/auth/signout').type('form').set('Cookie', cookie).send({ csrfToken })
  await request(app).get('/invoices').set('Cookie', ada.cookie).expect(401)
})
