import Fastify from 'fastify'
import { expressAuth, getSession, requireAuth } from '../../../lib/index.js'
import { testConfig } from '../../support/app.js'
import { Visitor } from '../../support/visitor.js'
import { expectRecipe } from './recipes.js'

describe('the recipe for Fastify', () => {
  it('serves the mount, guards, and renews sessions', async () => {
    const mounted = { ...testConfig({ session: { updateAge: 0 } }), basePath: '/auth' }
    const serveAuth = expressAuth(mounted)
    const guard = requireAuth(mounted)
    const app = Fastify()
    app.register(async (mount) => {
      mount.removeAllContentTypeParsers()
      mount.addContentTypeParser('*', (_request, _body, done) => done(null))
      mount.all('/auth/*', (request, reply) => {
        reply.hijack()
        serveAuth(request.raw, reply.raw, (error) => {
          reply.raw.statusCode = error ? 500 : 404
          reply.raw.end()
        })
      })
    })
    app.register(async (guarded) => {
      guarded.addHook('onRequest', (request, reply, done) =>
        guard(request.raw, reply.raw, (error) => done(error as Error)),
      )
      guarded.get('/private/papers', async (request) => ({
        reader: (await getSession(request.raw, mounted))?.user?.name,
      }))
    })
    app.get('/', (request) => getSession(request.raw, mounted))
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    try {
      await expectRecipe(() => new Visitor(origin))
    } finally {
      await app.close()
    }
  })
})
