import { expect } from 'chai'
import express from 'express'
import {
  type AuthConfig,
  defineAuth,
  expressAuth,
  InvalidConfiguration,
  type RequireAuthOptions,
  requireAuth,
} from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, testConfig } from '../../support/app.js'
import { navigate, startGuarded } from '../../support/guard.js'
import { elements, visibleText } from '../../support/html.js'
import { untyped } from '../../support/untyped.js'

/** Sessions whose user has what a test says. */
const sessionsWith = (members: object): Partial<AuthConfig> => ({
  callbacks: { session: ({ session }) => ({ ...session, user: { ...session.user, ...members } }) },
})

describe('a guard with rules about the session', () => {
  let app: Running
  let ran: string[]
  const start = async (options: RequireAuthOptions, config: Partial<AuthConfig> = {}) => {
    const started = await startGuarded(testConfig(config), options)
    app = started.app
    ran = started.ran
    return app.visitor()
  }
  const signedIn = async (options: RequireAuthOptions, config: Partial<AuthConfig> = {}) => {
    const ada = await start(options, config)
    await ada.signIn(ADA)
    return ada
  }
  afterEach(() => app.close())

  it('lets those pass whom `allow` allows, and tells it the session and the request', async () => {
    const asked: unknown[] = []
    const ada = await signedIn({
      allow: (session, req: express.Request) => {
        asked.push([session.user?.name, req.originalUrl])
        return req.query['page'] === '1'
      },
    })
    expect((await navigate(ada, '/private/papers?page=1')).body).to.equal('Hello Ada')
    expect((await navigate(ada, '/private/papers?page=2')).status).to.equal(403)
    expect(asked).to.deep.equal([
      ['Ada', '/private/papers?page=1'],
      ['Ada', '/private/papers?page=2'],
    ])
    expect(ran).to.deep.equal(['/private/papers?page=1'])
  })

  it('says in the log for developers why somebody was refused, and nothing else about them', async () => {
    const told: unknown[] = []
    const debug = (message: string, data: unknown) =>
      void (message.startsWith('A guard refused') && told.push([message, data]))
    const logger = { ...createLog().logger, debug }
    const ada = await signedIn({ roles: ['admin', 'owner'] }, { ...sessionsWith({ roles: ['user'] }), logger })
    expect((await ada.get('/private')).status).to.equal(403)
    await app.close()
    const other = await signedIn({ allow: () => untyped('yes') }, { logger })
    expect((await other.get('/private')).status).to.equal(403)
    const message = 'A guard refused somebody who is signed in'
    expect(told).to.deep.equal([
      [message, { option: 'roles', wanted: ['admin', 'owner'], found: ['user'] }],
      [message, { option: 'allow', answer: 'a string' }],
    ])
  })

  /** Ways to give a rule that no copy of the options' own members has. */
  class OptionsOfAClass implements RequireAuthOptions {
    allow() {
      return false
    }
  }
  class OptionsWithGetters implements RequireAuthOptions {
    get roles() {
      return 'admin'
    }
  }
  for (const [what, options] of Object.entries<RequireAuthOptions>({
    'a method of a class': new OptionsOfAClass(),
    'a method of a class beside a member of its own': Object.assign(new OptionsOfAClass(), { signInUrl: '/login' }),
    'a getter of a class': new OptionsWithGetters(),
    'a prototype with allow': Object.create({ allow: () => false }),
    'a prototype with roles': Object.create({ roles: ['admin'] }),
    'a member that is not enumerable': Object.defineProperty({}, 'allow', { value: () => false }),
  })) {
    it(`counts a rule that is ${what}`, async () => {
      const ada = await signedIn(options)
      expect((await ada.get('/private')).status).to.equal(403)
      expect(ran).to.deep.equal([])
    })
  }

  it('counts the age of a sign-in that a prototype has', async () => {
    const ada = await signedIn(Object.create({ maxAuthAge: 1 }))
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect((await ada.get('/private')).status).to.equal(401)
  })

  it('waits for `allow`', async () => {
    const ada = await signedIn({ allow: async () => false })
    expect((await ada.get('/private')).status).to.equal(403)
    expect(ran).to.deep.equal([])
  })

  it('sends people who are not signed in to sign in, and scripts get 401; `allow` is not asked', async () => {
    const asked: string[] = []
    const nobody = await start({ allow: () => asked.push('session') > 0 })
    const answer = await navigate(nobody, '/private/papers')
    expect([answer.status, answer.location?.pathname]).to.deep.equal([302, '/auth/signin'])
    expect((await nobody.get('/private/papers')).status).to.equal(401)
    expect(asked).to.deep.equal([])
  })

  it('leads to another account by the sign-out, so that the account is not added to the user, and then back', async () => {
    const ada = await signedIn({ allow: ({ user }) => user?.name !== 'Ada' })
    const [link] = elements((await navigate(ada, '/private/papers')).body, 'a')
    const question = await ada.get(link?.get('href') ?? '')
    const fields = elements(question.text, 'input').map((input) => [input.get('name'), input.get('value') ?? ''])
    const left = await ada.post('/auth/signout', Object.fromEntries(fields))
    expect(left.location?.pathname).to.equal('/auth/signin')
    const page = await ada.get(left.location?.href ?? '')
    expect(visibleText(page.text)).to.not.include('You are signed in')
    const there = await ada.signIn(ADA)
    expect(there.location?.pathname).to.equal('/private/papers')
  })

  it('shows a page with 403 to people who are signed in and may not pass, and never sends them to sign in', async () => {
    const ada = await signedIn({ allow: () => false })
    for (const method of ['GET', 'POST']) {
      const answer = await navigate(ada, '/private/papers', { method })
      expect([answer.status, answer.location], method).to.deep.equal([403, null])
      expect(visibleText(answer.body)).to.contain('No access to this page')
      const [link] = elements(answer.body, 'a')
      const target = new URL(link?.get('href') ?? '')
      expect(target.pathname).to.equal('/auth/signout')
      const page = new URL(target.searchParams.get('callbackUrl') ?? '')
      expect(page.pathname).to.equal('/auth/signin')
      expect(page.searchParams.get('callbackUrl')).to.equal(
        method === 'GET' ? `${app.origin}/private/papers` : app.origin,
      )
      expect(answer.headers.get('cache-control')).to.contain('no-store')
    }
    const script = await ada.get('/private/papers')
    expect([script.status, JSON.parse(script.text)]).to.deep.equal([403, { message: 'Your account may not do this.' }])
    expect(script.headers.get('cache-control')).to.contain('no-store')
    expect(ran).to.deep.equal([])
  })

  for (const [what, user, roles, status] of [
    ['the text `role`', { role: 'writer' }, 'writer', 200],
    ['the list `roles`', { roles: ['reader', 'writer'] }, 'writer', 200],
    ['one of several roles', { role: 'reader' }, ['writer', 'reader'], 200],
    ['another role', { role: 'reader' }, 'writer', 403],
    ['no role', {}, 'writer', 403],
    ['a role in another case', { role: 'Writer' }, 'writer', 403],
    ['a part of a role', { role: 'writer' }, 'write', 403],
    ['a text in place of a list', { roles: 'writer' }, 'writer', 403],
    ['an object that looks like the role', { role: { toString: () => 'writer' } }, 'writer', 403],
    ['a name that every object has', { role: 'x' }, 'constructor', 403],
    ['a list of lists', { roles: [['writer']] }, 'writer', 403],
    ['a role of a prototype', Object.create({ role: 'writer' }), 'writer', 403],
  ] as const) {
    it(`knows the roles of a user: ${what}`, async () => {
      const ada = await signedIn({ roles }, sessionsWith(user))
      expect((await ada.get('/private')).status).to.equal(status)
    })
  }

  it('demands roles and `allow` and the `authorized` callback, all of them', async () => {
    for (const [role, allowed, authorized, status] of [
      ['writer', true, true, 200],
      ['reader', true, true, 403],
      ['writer', false, true, 403],
      // As in Auth.js, the callback `authorized` sends people to sign in.
      ['writer', true, false, 401],
    ] as const) {
      const { callbacks } = sessionsWith({ role })
      const ada = await signedIn(
        { roles: 'writer', allow: () => allowed },
        { callbacks: { ...callbacks, authorized: () => authorized } },
      )
      expect((await ada.get('/private')).status, `${role} ${allowed} ${authorized}`).to.equal(status)
      await app.close()
    }
  })

  it('lets nobody pass who is not signed in, also where the `authorized` callback lets everybody pass', async () => {
    const nobody = await start({ roles: 'writer' }, { callbacks: { authorized: () => true } })
    expect((await nobody.get('/private')).status).to.equal(401)
  })

  it('lets nobody pass when `allow` throws, and the log does not say what it knew', async () => {
    const log = createLog()
    const ada = await signedIn(
      {
        allow: () => {
          throw new Error('the database of roles at 10.0.0.7 is down')
        },
      },
      { logger: log.logger },
    )
    expect((await ada.get('/private')).status).to.equal(503)
    const page = await navigate(ada, '/private')
    expect([page.status, page.body.includes('10.0.0.7')]).to.deep.equal([503, false])
    expect(log.errors[0]?.message).to.contain('`allow`')
    expect(ran).to.deep.equal([])
  })

  for (const answer of [undefined, null, 1, 'true', {}, [], new Response('come in')]) {
    it(`lets nobody pass when \`allow\` gives ${answer instanceof Response ? 'a Response' : JSON.stringify(answer)}`, async () => {
      const ada = await signedIn({ allow: untyped(() => answer) })
      expect((await ada.get('/private')).status).to.equal(403)
    })
  }
})

describe('the rules of a guard', () => {
  for (const [what, options, says] of [
    ['a variable that is not set, as roles', { roles: undefined }, '`roles` is undefined, which would be no limit'],
    ['a variable that is not set, as allow', { allow: undefined }, '`allow` is undefined, which would be no limit'],
    ['no role at all', { roles: [] }, 'The list is empty.'],
    ['a variable that is not set, in a list', { roles: [undefined] }, '`roles[0]` is undefined'],
    ['an empty role', { roles: '' }, '`roles` is'],
    ['an empty role in a list', { roles: ['writer', ' '] }, '`roles[1]` is'],
    ['a number', { roles: 7 }, '`roles` is'],
    ['the answer in place of a function', { allow: true }, '`allow` is'],
    ['a misspelt name', { role: 'writer' }, 'Did you mean `roles`?'],
  ] as const) {
    it(`fail when the guard is made: ${what}`, () => {
      expect(() => requireAuth(testConfig(), untyped(options))).to.throw(InvalidConfiguration, says)
    })
  }
})

describe('defineAuth', () => {
  it('gives the functions of one configuration', async () => {
    const { handler, ...auth } = defineAuth({
      ...testConfig(),
      callbacks: { session: ({ session }) => ({ ...session, plan: 'free' }) },
    })
    const server = express()
    server.use('/auth', handler)
    server.get('/plan', auth.requireAuth(), (_req, res) => void res.send(res.locals.session.plan))
    server.get(
      '/paid',
      auth.requireAuth({ allow: ({ plan }) => plan !== 'free' }),
      (_req, res) => void res.send('paid'),
    )
    server.get('/anybody', auth.authSession(), (_req, res) => void res.json(res.locals.session?.plan ?? null))
    server.get('/read', async (req, res) => void res.json((await auth.getSession(req))?.plan ?? null))
    server.get('/csrf', async (req, res) => {
      const token = await auth.csrfToken(req, res)
      res.json([token !== '', await auth.verifyCsrfToken(req, token)])
    })
    server.post('/update', async (req, res) => void res.json((await auth.updateSession(req, res, {}))?.plan))
    const app = await listen(server)
    try {
      const ada = app.visitor()
      expect((await ada.get('/plan')).status).to.equal(401)
      expect((await ada.get('/anybody')).text).to.equal('null')
      await ada.signIn(ADA)
      expect((await ada.get('/plan')).text).to.equal('free')
      expect((await ada.get('/paid')).status).to.equal(403)
      expect((await ada.get('/anybody')).text).to.equal('"free"')
      expect((await ada.get('/read')).text).to.equal('"free"')
      expect((await ada.post('/update', {})).text).to.equal('"free"')
      await ada.get('/csrf')
      expect((await ada.get('/csrf')).text).to.equal('[true,true]')
    } finally {
      await app.close()
    }
  })

  it('fails at the start with a configuration that cannot work', () => {
    expect(() => defineAuth(untyped({ providers: 7 }))).to.throw(InvalidConfiguration)
    expect(() => defineAuth(untyped(expressAuth(testConfig())))).to.throw(InvalidConfiguration, 'defineAuth(config)')
  })

  it('says how its own functions are called', () => {
    const config = testConfig()
    expect(() => defineAuth(config).requireAuth(untyped(config))).to.throw(
      InvalidConfiguration,
      'Call it: requireAuth(options).',
    )
  })
})
