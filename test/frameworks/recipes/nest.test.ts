import type { CanActivate, ExecutionContext, INestApplication } from '@nestjs/common'
import { expect } from 'chai'
import { ADA } from '../../support/app.js'
import { navigate } from '../../support/guard.js'
import { Visitor } from '../../support/visitor.js'
import { runRecipe } from './recipe-module.js'
import { expectGuarded, expectRecipe } from './recipes.js'

interface Recipe {
  readonly app: INestApplication
  readonly SignedIn: new () => CanActivate
}

const PLATFORMS = {
  Express: 'NestFactory.create(AppModule, { logger: false })',
  Fastify:
    "NestFactory.create(AppModule, new (await import('@nestjs/platform-fastify')).FastifyAdapter(), { logger: false })",
}

describe('the recipe for NestJS', function () {
  this.timeout(120_000)

  for (const [platform, create] of Object.entries(PLATFORMS)) {
    describe(`on ${platform}`, () => {
      const apps: INestApplication[] = []
      /** Starts the application of the recipe, with parts of its code replaced. */
      const start = async (replace: Readonly<Record<string, string>> = {}) => {
        const { app, SignedIn } = await runRecipe<Recipe>({
          file: 'nest.ts',
          exports: ['app'],
          replace: { 'NestFactory.create(AppModule)': create, 'listen(3000)': "listen(0, '127.0.0.1')", ...replace },
        })
        apps.push(app)
        const origin = await app.getUrl()
        return { origin, SignedIn, visitor: () => new Visitor(origin) }
      }
      /** Starts the application with more calls before the mount. */
      const startWith = (calls: string) => start({ "app.use('/auth'": `${calls}\napp.use('/auth'` })
      const signedIn = async ({ visitor }: { visitor(): Visitor }) => {
        const ada = visitor()
        await ada.signIn(ADA)
        return ada
      }

      let running: Awaited<ReturnType<typeof start>>
      before(async () => {
        running = await start()
      })
      after(async () => {
        for (const app of apps) await app.close()
      })

      it('serves the mount, guards, and renews sessions', () => expectRecipe(running.visitor))

      it('guards the route, however its path is written', () => expectGuarded(running.origin))

      it('sends a browser to the sign-in page, and back', async () => {
        const { status, location } = await navigate(running.visitor(), '/private/papers?page=2')
        expect([status, location?.pathname]).to.deep.equal([302, '/auth/signin'])
        expect(location?.searchParams.get('callbackUrl')).to.match(/\/private\/papers\?page=2$/)
      })

      it('lets nothing pass that is not an HTTP request', () => {
        const guard = new running.SignedIn()
        for (const type of ['ws', 'rpc', 'graphql'])
          expect(guard.canActivate({ getType: () => type } as unknown as ExecutionContext), type).to.equal(false)
      })

      it('keeps the mount where it is under a global prefix and versions, and guards the route there', async () => {
        const prefixed = await startWith(
          "app.setGlobalPrefix('api').enableVersioning({ type: 0, defaultVersion: '1' })",
        )
        expect((await prefixed.visitor().get('/api/v1/private/papers')).status).to.equal(401)
        for (const path of ['/API/V1/Private/papers', '/api/v1//private/papers', '/api/v1/%70rivate/papers'])
          expect((await prefixed.visitor().get(path)).status, path).to.be.oneOf([400, 401, 404])
        const ada = await signedIn(prefixed)
        expect((await ada.get('/api/v1/private/papers')).json()).to.deep.equal({ reader: 'Ada' })
      })

      it('leaves the mount open where the guard is global, and guards every controller', async () => {
        const global = await startWith('app.useGlobalGuards(new SignedIn())')
        for (const path of ['/', '/private/papers']) expect((await global.visitor().get(path)).status).to.equal(401)
        const ada = await signedIn(global)
        for (const path of ['/', '/private/papers']) expect((await ada.get(path)).status).to.equal(200)
      })

      it('keeps the cookie of the session where the route sets one of its own', async () => {
        const own = await start({
          'papers(@CurrentSession() session: Session | null) {': `papers(
            @CurrentSession() session: Session | null,
            @(await import('@nestjs/common')).Res({ passthrough: true }) res: any,
          ) {
            ${platform === 'Express' ? 'res.append' : 'res.header'}('set-cookie', 'seen=1')`,
        })
        const { setCookie } = await (await signedIn(own)).get('/private/papers')
        expect(setCookie.map((text) => text.split('=', 1)[0])).to.have.members(['seen', 'authjs.session-token'])
      })

      // With Fastify, the mount always comes before the parsers.
      if (platform === 'Express') {
        it('signs in where the parsers of bodies come before the mount', async () => {
          const parsed = await startWith(
            "app.useBodyParser('urlencoded', { extended: true }); app.useBodyParser('json')",
          )
          expect((await (await signedIn(parsed)).get('/private/papers')).status).to.equal(200)
        })
      }
    })
  }
})
