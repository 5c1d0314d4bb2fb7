import { expect } from 'chai'
import { createLinkRequests } from '../../../lib/features/linking/links.js'
import { createValueEncryption } from '../../../lib/kernel/encrypted-values.js'
import { SECRET } from '../../support/app.js'
import { Clock } from '../../support/test-app.js'

const REQUEST = {
  provider: 'acme',
  userDigest: 'a-digest',
  scope: 'calendar',
  offline: false,
  callbackUrl: 'https://app.example/',
}

describe('a link request', () => {
  it('is read as it was made, for an hour', async () => {
    const clock = new Clock()
    const requests = createLinkRequests([SECRET], clock.now)
    const text = await requests.make(REQUEST)
    expect(text).to.match(/^[\w.-]+$/)
    clock.advance(3600)
    expect(await requests.read(text)).to.deep.equal(REQUEST)
    clock.advance(60)
    expect(await requests.read(text)).to.equal(null)
  })

  it('is worth nothing with another secret, for another purpose, or changed', async () => {
    const clock = new Clock()
    const requests = createLinkRequests([SECRET], clock.now)
    const text = await requests.make(REQUEST)
    const foreign = await createValueEncryption([SECRET], 'logout-state', clock.now).encrypt(REQUEST, 60)
    const incomplete = await createValueEncryption([SECRET], 'link-request', clock.now).encrypt(
      { provider: 'acme' },
      60,
    )
    expect(await createLinkRequests(['another secret that is long enough'], clock.now).read(text)).to.equal(null)
    for (const wrong of ['', text.slice(0, -2), foreign, incomplete]) expect(await requests.read(wrong)).to.equal(null)
  })
})
