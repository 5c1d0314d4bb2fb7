import { expect } from 'chai'
import { Clock, openTestApp, SESSION } from '../support/test-app.js'
import { claimsOf } from '../support/tokens.js'
import { atProcess, NEW, OLD, startAt } from './processes.js'

describe('TOK-04: secrets rotate', () => {
  it('a session of an older secret continues, and its renewal is encrypted with the newest secret', async () => {
    const clock = new Clock()
    const ada = await startAt('before', {}, { clock }).signedIn()
    const copy = ada.copy()
    clock.advance(24 * 60 * 60)
    expect((await atProcess(startAt('use', {}, { clock }), ada).session())?.user?.name).to.equal('Ada')
    const last = startAt('drop', {}, { clock })
    expect(await atProcess(last, copy).session()).to.equal(null)
    expect((await atProcess(last, ada).session())?.user?.name).to.equal('Ada')
  })

  it('secrets of the environment rotate by their numbers', async () => {
    const ada = await startAt('before').signedIn()
    const rotated = openTestApp({ secret: [] }, { env: { AUTH_SECRET: OLD, AUTH_SECRET_1: NEW } })
    expect((await atProcess(rotated, ada).session())?.user?.name).to.equal('Ada')
    const { jar } = await rotated.signedIn()
    expect((await claimsOf(jar.get(SESSION)?.value ?? '', { secret: NEW })).sub).to.equal('1815')
  })
})
