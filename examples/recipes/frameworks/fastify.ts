import Fastify from 'fastify'
import { expressAuth, getSession, requireAuth } from 'latchkey'
import { config } from './config.js'

const mounted = { ...config, basePath: '/auth' }
const serveAuth = expressAuth(mounted)
const guard = requireAuth(mounted)
const app = Fastify()

app.register(async (mount) => {
  // Latchkey reads the bodies of its own forms.
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
    guard(request.raw, reply.raw, (error) => {
      // Fastify replaces a header of Node by its own of the same name, and would lose the cookie of the session.
      reply.headers(reply.raw.getHeaders())
      done(error as Error)
    }),
  )
  guarded.get('/private/papers', async (request) => ({ reader: (await getSession(request.raw, mounted))?.user?.name }))
})

app.get('/', (request) => getSession(request.raw, mounted))
