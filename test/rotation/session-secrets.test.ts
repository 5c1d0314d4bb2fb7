import { expect } from 'chai'
import { createSessionJwtCodec } from '../../lib/crypto/session-jwt.js'
import { SECRET } from '../support/app.js'
import { Clock, openTestApp, SESSION } from '../support/test-app.js'

describe('TOK-04: secrets rotate', () => {
  it('a session of an older secret goes on, and its next extension is under the newest', async () => {
    const time = new Clock()
    const before = openTestApp({ secret: 'the old secret, long enough for this' }, { clock: time })
    const ada = await before.signedIn()
    const held = ada.jar.get(SESSION)?.value ?? ''
    const rotated = openTestApp({ secret: [SECRET, 'the old secret, long enough for this'] }, { clock: time }).browser()
    rotated.plant(SESSION, held)
    time.advance(24 * 60 * 60)
    expect((await rotated.session())?.user?.name).to.equal('Ada')
    const renewed = openTestApp({ secret: SECRET }, { clock: time }).browser()
    renewed.plant(SESSION, held)
    expect(await renewed.session()).to.equal(null)
    renewed.plant(SESSION, rotated.jar.get(SESSION)?.value ?? '')
    expect((await renewed.session())?.user?.name).to.equal('Ada')
  })

  it('secrets of the environment rotate by their numbers', async () => {
    const time = new Clock()
    const env = { AUTH_SECRET: 'the first secret that there ever was', AUTH_SECRET_1: SECRET }
    const held =
      (await openTestApp({ secret: env.AUTH_SECRET }, { clock: time }).signedIn()).jar.get(SESSION)?.value ?? ''
    const testApp = openTestApp({ secret: [] }, { clock: time, env })
    const ada = testApp.browser()
    ada.plant(SESSION, held)
    expect((await ada.session())?.user?.name).to.equal('Ada')
    const fresh = (await testApp.signedIn()).jar.get(SESSION)?.value ?? ''
    expect((await createSessionJwtCodec([SECRET], SESSION, time.now).decode(fresh))?.claims).to.include({
      sub: '1815',
    })
  })
})
