// With fetch or undici, an application that listens somewhere needs its origin.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { signInAs } from 'latchkey/testing'
import { request } from 'undici'
import { config, origin } from './listening.js'

it('answers with JSON', async () => {
  const ada = await signInAs(config, { email: 'ada@example.com' }, { origin })
  const { statusCode, body } = await request(`${origin}/invoices`, { headers: ada.headers })
  assert.equal(statusCode, 200)
  assert.deepEqual(await body.json(), [])
})
