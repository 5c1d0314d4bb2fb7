import type { INestApplication } from '@nestjs/common'
import { Visitor } from '../../support/visitor.js'
import { runRecipe } from './recipe-module.js'
import { expectGuarded, expectRecipe } from './recipes.js'

const PLATFORMS = {
  Express: 'NestFactory.create(AppModule, { logger: false })',
  Fastify:
    "NestFactory.create(AppModule, new (await import('@nestjs/platform-fastify')).FastifyAdapter(), { logger: false })",
}

describe('the recipe for NestJS', () => {
  for (const [platform, create] of Object.entries(PLATFORMS)) {
    describe(`on ${platform}`, () => {
      const apps: INestApplication[] = []
      const start = async (more: Record<string, string> = {}) => {
        const { app } = await runRecipe<{ app: INestApplication }>({
          block: 'NestFactory',
          exports: ['app'],
          replace: { 'NestFactory.create(AppModule)': create, 'listen(3000)': "listen(0, '127.0.0.1')", ...more },
        })
        apps.push(app)
        return (await app.getUrl()).replace('[::1]', '127.0.0.1')
      }
      afterEach(async () => {
        for (const app of apps.splice(0)) await app.close()
      })

      it('serves the mount, guards, and renews sessions', async () => {
        const origin = await start()
        await expectRecipe(() => new Visitor(origin))
      })

      it('guards the route, however its path is written', async () => expectGuarded(await start()))
    })
  }
})
