import { expect } from 'chai'
import * as client from '../../lib/client/index.js'
import * as solidStart from '../../lib/client/solid-start.js'

describe('the entries for browsers', () => {
  for (const [name, entry] of Object.entries({
    'latchkey/client': client,
    'latchkey/solid-start/client': solidStart,
  })) {
    it(`${name} has each function of a client`, () => {
      expect(Object.keys(entry)).to.include.members(Object.keys(client.createClient()))
    })
  }
})
