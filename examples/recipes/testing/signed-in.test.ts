// A signed-in user, with supertest.

import { it } from 'node:test'
import { signInAs } from 'latchkey/testing'
import request from 'supertest'
import { app, config } from './app.js'

it('shows the invoices of Ada', async () => {
  const ada = await signInAs(config, { name: 'Ada', email: 'ada@example.com' })
  await request(app).get('/invoices').expect(401)
  await request(app).get('/invoices').set('Cookie', ada.cookie).expect(200)
})
