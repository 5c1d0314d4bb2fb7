// The same code works with @nestjs/platform-express and @nestjs/platform-fastify.
//
// Guard controllers with the class, and not paths with a middleware: the class runs with the route, however the request spells the
// path. `app.useGlobalGuards(new SignedIn())` guards all controllers; the mount stays open. Guards of NestJS do not see static
// files: put `requireAuth` before them with `app.use`.
import { config } from './config.js'
import 'reflect-metadata'
import {
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  UseGuards,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { expressAuth, getSession, requireAuth, type Session } from 'latchkey'

const mounted = { ...config, basePath: '/auth' }
const guard = requireAuth(mounted)

@Injectable()
export class SignedIn implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    // Messages of WebSockets and queries of GraphQL are no HTTP requests that this guard could judge.
    if (context.getType() !== 'http') return false
    const [request, reply] = context.getArgs()
    // Fastify has the request and the response of Node in `raw`.
    const res = reply.raw ?? reply
    return new Promise((resolve, reject) => {
      res.once('close', () => resolve(false))
      guard(request.raw ?? request, res, (error) => {
        if (error) return reject(error)
        // Fastify replaces a header of Node by its own of the same name, and would lose the cookie of the session.
        if (reply.raw) reply.headers(res.getHeaders())
        resolve(true)
      })
    })
  }
}

export const CurrentSession = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const [request] = context.getArgs()
  return getSession(request.raw ?? request, mounted)
})

@Controller('private')
@UseGuards(SignedIn)
export class PapersController {
  @Get('papers')
  papers(@CurrentSession() session: Session | null) {
    return { reader: session?.user?.name }
  }
}

@Controller()
export class HomeController {
  @Get()
  home(@CurrentSession() session: Session | null) {
    return { user: session?.user ?? null }
  }
}

@Module({ controllers: [PapersController, HomeController] })
export class AppModule {}

const app = await NestFactory.create(AppModule)
// Before `listen`, which adds the parsers of bodies. A global prefix does not change this path.
app.use('/auth', expressAuth(mounted))
await app.listen(3000)
