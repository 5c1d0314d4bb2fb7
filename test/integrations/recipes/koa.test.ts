import type Koa from 'koa'
import { listen, type Running } from '../../support/app.js'
import { runRecipe } from './recipe-module.js'
import { expectGuarded, expectRecipe } from './recipes.js'

describe('the recipe for Koa', () => {
  let running: Running

  before(async () => {
    const { app } = await runRecipe<{ app: Koa }>({ block: 'new Koa()', exports: ['app'] })
    running = await listen(app.callback())
  })
  after(() => running?.close())

  it('serves the mount, guards, and renews sessions', () => expectRecipe(running.visitor))

  it('guards the path, however it is written', () => expectGuarded(running.origin))
})
