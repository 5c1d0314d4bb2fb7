import type Koa from 'koa'
import { listen, type Running } from '../../support/app.js'
import { runRecipe } from './recipe-module.js'
import { expectGuarded, expectPrivate, expectRecipe, WITHOUT_RENEWAL } from './recipes.js'

describe('the recipe for Koa', () => {
  let running: Running

  before(async () => {
    const { app } = await runRecipe<{ app: Koa }>({ file: 'koa.ts', exports: ['app'] })
    running = await listen(app.callback())
  })
  after(() => running?.close())

  it('serves the mount, guards, and renews sessions', () => expectRecipe(running.visitor))

  it('guards the path, however it is written', () => expectGuarded(running.origin))

  it('keeps what the guard lets pass out of caches where nothing is renewed (COOKIE-12)', async () => {
    const { app } = await runRecipe<{ app: Koa }>({ file: 'koa.ts', exports: ['app'], replace: WITHOUT_RENEWAL })
    const quiet = await listen(app.callback())
    try {
      await expectPrivate(quiet.visitor)
    } finally {
      await quiet.close()
    }
  })
})
