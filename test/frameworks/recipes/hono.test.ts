import { getRequestListener } from '@hono/node-server'
import { expect } from 'chai'
import type { Hono } from 'hono'
import { ADA, listen, type Running } from '../../support/app.js'
import { runRecipe } from './recipe-module.js'
import { expectGuarded, expectPrivate, expectRecipe, WITHOUT_RENEWAL } from './recipes.js'

describe('the recipe for Hono', () => {
  let running: Running

  before(async () => {
    const { app } = await runRecipe<{ app: Hono }>({ file: 'hono.ts', exports: ['app'] })
    app.get('/private/letters', (c) => c.body('letters', { headers: { 'set-cookie': 'seen=1' } }))
    // Its headers cannot be changed, as those of an answer that a proxy fetched.
    app.get('/private/moved', () => Response.redirect('http://localhost/elsewhere'))
    running = await listen(getRequestListener(app.fetch))
  })
  after(() => running?.close())

  it('serves the mount, guards, and renews sessions', () => expectRecipe(running.visitor))

  it('guards the route, however its path is written', () => expectGuarded(running.origin))

  it('keeps what the guard lets pass out of caches where nothing is renewed (COOKIE-12)', async () => {
    const { app } = await runRecipe<{ app: Hono }>({ file: 'hono.ts', exports: ['app'], replace: WITHOUT_RENEWAL })
    const quiet = await listen(getRequestListener(app.fetch))
    try {
      await expectPrivate(quiet.visitor)
    } finally {
      await quiet.close()
    }
  })

  it('keeps the cookies of the session and of the route', async () => {
    const ada = running.visitor()
    await ada.signIn(ADA)
    const namesOf = async (path: string) => (await ada.get(path)).setCookie.map((text) => text.split('=', 1)[0])
    expect(await namesOf('/private/letters')).to.have.members(['seen', 'authjs.session-token'])
    expect(await namesOf('/private/moved')).to.have.members(['authjs.session-token'])
  })
})
