import { expect } from 'chai'
import type { FastifyInstance } from 'fastify'
import { ADA } from '../../support/app.js'
import { Visitor } from '../../support/visitor.js'
import { runRecipe } from './recipe-module.js'
import { expectGuarded, expectPrivate, expectRecipe, WITHOUT_RENEWAL } from './recipes.js'

describe('the recipe for Fastify', () => {
  let app: FastifyInstance
  let origin: string

  before(async () => {
    ;({ app } = await runRecipe<{ app: FastifyInstance }>({ file: 'fastify.ts', exports: ['app'] }))
    app.addHook('onSend', async (request, reply) => {
      if (request.url.endsWith('?cookie')) reply.header('set-cookie', 'seen=1')
    })
    origin = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(() => app?.close())

  it('serves the mount, guards, and renews sessions', () => expectRecipe(() => new Visitor(origin)))

  it('guards the route, however its path is written', () => expectGuarded(origin))

  it('keeps what the guard lets pass out of caches where nothing is renewed (COOKIE-12)', async () => {
    const recipe = { file: 'fastify.ts', exports: ['app'], replace: WITHOUT_RENEWAL }
    const { app: quiet } = await runRecipe<{ app: FastifyInstance }>(recipe)
    const at = await quiet.listen({ port: 0, host: '127.0.0.1' })
    try {
      await expectPrivate(() => new Visitor(at))
    } finally {
      await quiet.close()
    }
  })

  it('keeps the cookies of the session and of the application', async () => {
    const ada = new Visitor(origin)
    await ada.signIn(ADA)
    const { setCookie } = await ada.get('/private/papers?cookie')
    expect(setCookie.map((text) => text.split('=', 1)[0])).to.have.members(['seen', 'authjs.session-token'])
  })
})
