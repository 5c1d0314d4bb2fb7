import { inspect } from 'node:util'
import { expect } from 'chai'
import express from 'express'
import {
  type AuthConfig,
  AuthError,
  CredentialsSignin,
  expressAuth,
  type Provider,
  requireAuth,
} from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { listen, type Running } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import type { Answer, Visitor } from '../support/visitor.js'

// biome-ignore lint/suspicious/noExplicitAny: callbacks of all kinds are made to throw
type Any = any

const SECRET = 'MARKED-auth-secret-0123456789-0123456789'
const OLD_SECRET = 'MARKED-old-secret-0123456789-0123456789'
const CLIENT_SECRET = 'MARKED-client-secret-0123456789'
const PASSWORD = 'MARKED-password'
const TOKENS = {
  access_token: 'MARKED-access-token',
  refresh_token: 'MARKED-refresh-token',
  token_type: 'Bearer',
  expires_in: 60,
}

/** An error as HTTP libraries throw them: what was sent and what came back hang on it. */
function telltale(...secrets: unknown[]): Error {
  const inner = Object.assign(new Error('inner'), { request: { body: secrets } })
  return Object.assign(new Error('the service is down', { cause: inner }), {
    config: { data: secrets, headers: { authorization: 'Bearer MARKED-access-token' } },
    response: { body: { ...TOKENS, secrets } },
  })
}

const thrower =
  (...more: unknown[]) =>
  (...args: unknown[]): never => {
    throw telltale(PASSWORD, SECRET, args, more)
  }

interface Stage {
  readonly visitor: Visitor
  readonly idp: FakeProvider
  /** Every answer that is looked through. */
  readonly seen: Answer[]
  /** What else must not appear: found out while the story runs. */
  readonly markers: Set<string>
}

interface Story {
  readonly config?: (options: AuthConfig, idp: FakeProvider) => void
  readonly play: (stage: Stage) => Promise<unknown>
  /** Whether there is anything to report at all. */
  readonly isQuiet?: true
}

const keep = async ({ seen }: Stage, answer: Promise<Answer>) => {
  seen.push(await answer)
  return answer
}

async function signIn(stage: Stage, fields: Record<string, string> = {}) {
  const csrfToken = await stage.visitor.csrfToken()
  const sent = { csrfToken, username: 'ada', password: PASSWORD, ...fields }
  const answer = await keep(stage, stage.visitor.post('/auth/callback/credentials', sent))
  const session = stage.visitor.jar.get('authjs.session-token')
  if (session) stage.markers.add(session)
  return answer
}

async function signInAtProvider(stage: Stage, change: (params: URLSearchParams) => void = () => {}) {
  const { visitor, idp, markers } = stage
  const csrfToken = await visitor.csrfToken()
  const start = await visitor.post('/auth/signin/acme', { csrfToken })
  if (start.location?.origin !== idp.issuer) return keep(stage, Promise.resolve(start))
  for (const [name, value] of visitor.jar) if (/state|pkce|nonce/.test(name)) markers.add(value)
  const params = idp.authorize(start.location.href)
  change(params)
  markers.add(params.get('code') ?? 'MARKED')
  const answer = await keep(stage, visitor.get(`/auth/callback/acme?${params}`))
  for (const { body } of idp.callsTo('/token')) markers.add(body.get('code_verifier') ?? 'MARKED')
  return answer
}

const faulty = (fault: (idp: FakeProvider) => void): Story => ({
  play(stage) {
    fault(stage.idp)
    return signInAtProvider(stage)
  },
})

const callback = (name: string, play: Story['play']): Story => ({
  config: (options) => {
    options.callbacks = { ...options.callbacks, [name]: thrower() }
  },
  play,
})

const provider = (change: (settings: Any) => void): Story => ({
  config: (options) => {
    const [acme] = options.providers as Any[]
    change(acme)
  },
  play: signInAtProvider,
})

const STORIES: Record<string, Story> = {
  'a sign-in that succeeds': {
    isQuiet: true,
    play: async (stage) => [await signIn(stage), await signInAtProvider(stage)],
  },
  'a wrong password': { play: (stage) => signIn(stage, { username: 'nobody' }) },
  'authorize that throws': {
    config: (options) => {
      options.providers[1] = Credentials({ authorize: (credentials, request) => thrower(credentials, request)() })
    },
    play: signIn,
  },
  'authorize that throws an object': {
    config: (options) => {
      options.providers[1] = Credentials({
        authorize: (credentials) => {
          throw { credentials, toString: () => PASSWORD }
        },
      })
    },
    play: signIn,
  },
  'authorize that refuses with a code': {
    config: (options) => {
      options.providers[1] = Credentials({
        authorize: () => {
          throw new CredentialsSignin()
        },
      })
    },
    play: signIn,
  },
  'a signIn callback that throws': callback('signIn', signIn),
  'a jwt callback that throws': callback('jwt', signIn),
  'a redirect callback that throws': callback('redirect', (stage) => signIn(stage, { callbackUrl: '/x' })),
  'a signIn callback that throws after a provider': callback('signIn', signInAtProvider),
  'a jwt callback that throws after a provider': callback('jwt', signInAtProvider),
  'a session callback that throws': callback('session', async (stage) => {
    await signIn(stage)
    await keep(stage, stage.visitor.get('/auth/session'))
    await keep(stage, stage.visitor.get('/private'))
  }),
  'an authorized callback that throws': callback('authorized', async (stage) => {
    await signIn(stage)
    await keep(stage, stage.visitor.get('/private'))
  }),
  'paths and queries of the application that hold secrets': callback('authorized', async (stage) => {
    for (const path of [
      '/inside/MARKED-reset-token-0123456789?code=MARKED-code#MARKED-fragment',
      '/inside/MARKED@example.com/settings',
      '/inside/%4dARKED%40example.com/MARKED;sid=MARKED-session',
      '/inside?callbackUrl=/a?token=MARKED-token',
      '/auth/MARKED-unknown-action/0123456789?token=MARKED-token',
      '/auth/signin/MARKED-provider-that-is-none',
    ]) {
      // What is answered is for whoever knows the path already.
      await stage.visitor.get(path, { 'x-request-id': 'r-1' })
    }
  }),
  'events that throw': {
    config: (options) => {
      options.events = { signIn: thrower(), session: thrower(), signOut: thrower() }
    },
    async play(stage) {
      await signIn(stage)
      await keep(stage, stage.visitor.get('/auth/session'))
      const csrfToken = await stage.visitor.csrfToken()
      await keep(stage, stage.visitor.post('/auth/signout', { csrfToken }))
    },
  },
  'a codec that throws': {
    config: (options) => {
      options.jwt = { encode: (params) => thrower(params)(), decode: (params) => thrower(params)() }
    },
    async play(stage) {
      await signIn(stage)
      stage.visitor.jar.set('authjs.session-token', 'MARKED-cookie')
      await keep(stage, stage.visitor.get('/auth/session'))
      await keep(stage, stage.visitor.get('/private'))
    },
  },
  'a token that is too large': {
    config: (options) => {
      options.callbacks = { jwt: ({ token }) => ({ ...token, weight: 'MARKED-claims '.repeat(2000) }) }
    },
    play: signIn,
  },
  'a session cookie that is rubbish': {
    isQuiet: true,
    async play(stage) {
      stage.visitor.jar.set('authjs.session-token', 'MARKED-cookie')
      await keep(stage, stage.visitor.get('/auth/session'))
      stage.visitor.jar.set('authjs.session-token', 'MARKED-cookie')
      await keep(stage, stage.visitor.get('/private'))
    },
  },
  'a form without its CSRF token': {
    play: (stage) => keep(stage, stage.visitor.post('/auth/callback/credentials', { password: PASSWORD })),
  },
  'a form with a wrong CSRF token': {
    play: (stage) =>
      keep(stage, stage.visitor.post('/auth/callback/credentials', { password: PASSWORD, csrfToken: 'MARKED-csrf' })),
  },
  'a form of another site': {
    play: async (stage) => {
      const csrfToken = await stage.visitor.csrfToken()
      stage.markers.add(csrfToken)
      return keep(
        stage,
        stage.visitor.post(
          '/auth/callback/credentials',
          { csrfToken, password: PASSWORD },
          { origin: 'https://evil.example' },
        ),
      )
    },
  },
  'a body that is no JSON': {
    isQuiet: true,
    play: (stage) =>
      keep(
        stage,
        stage.visitor.visit('/auth/callback/credentials', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{"password": "${PASSWORD}", `,
        }),
      ),
  },
  'an answer without a state': { play: (stage) => signInAtProvider(stage, (params) => params.delete('state')) },
  'an answer with a wrong state': {
    play: (stage) => signInAtProvider(stage, (params) => params.set('state', 'MARKED-state')),
  },
  'an answer of another issuer': {
    play: (stage) => signInAtProvider(stage, (params) => params.set('iss', 'https://evil.example')),
  },
  'an answer with an error': {
    play: (stage) =>
      signInAtProvider(stage, (params) => {
        params.set('error', `access_denied ${params.get('code')}`)
        params.set('error_description', `refused ${params}`)
      }),
  },
  'an answer that comes twice': {
    async play(stage) {
      const jar = new Map(stage.visitor.jar)
      await signInAtProvider(stage)
      for (const [name, value] of jar) stage.visitor.jar.set(name, value)
      await keep(stage, stage.visitor.get(`/auth/callback/acme?code=MARKED-code&state=MARKED-state`))
    },
  },
  'a token endpoint that refuses and repeats everything': faulty((idp) => {
    idp.faults.token = (_answer, call) => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: `${call.text} ${call.headers.authorization}`, ...TOKENS },
    })
  }),
  'a token endpoint that fails': faulty((idp) => {
    idp.faults.token = (answer, call) => ({ status: 500, body: { ...answer, sent: call.text } })
  }),
  'a token endpoint that answers with text': faulty((idp) => {
    idp.faults.token = (answer, call) => ({
      headers: { 'content-type': 'text/plain' },
      body: `MARKED ${call.text} ${JSON.stringify(answer)}`,
    })
  }),
  'a token endpoint that answers with broken JSON': faulty((idp) => {
    idp.faults.token = (answer, call) => ({ body: `{"MARKED": "${call.body.get('code')}", ${JSON.stringify(answer)}` })
  }),
  'a token answer of an unknown type': faulty((idp) => {
    idp.faults.token = (answer) => ({ body: { ...answer, token_type: 'mac' } })
  }),
  'an ID token that is malformed': faulty((idp) => {
    idp.faults.idToken = () => 'MARKED-id-token'
  }),
  'an ID token for somebody else': faulty((idp) => {
    idp.faults.claims = (claims) => ({ ...claims, aud: 'another-client', MARKED: 'MARKED' })
  }),
  'an ID token that has expired': faulty((idp) => {
    idp.faults.claims = (claims) => ({ ...claims, exp: 1, MARKED: 'MARKED' })
  }),
  'an ID token with a wrong nonce': faulty((idp) => {
    idp.faults.claims = (claims) => ({ ...claims, nonce: 'MARKED-nonce' })
  }),
  'a userinfo endpoint that fails': {
    ...provider((acme) => {
      acme.idToken = false
    }),
    async play(stage) {
      stage.idp.faults.userinfo = (_profile, call) => ({ status: 403, body: { MARKED: call.headers.authorization } })
      await signInAtProvider(stage)
    },
  },
  'a userinfo endpoint that answers rubbish': {
    ...provider((acme) => {
      acme.idToken = false
    }),
    async play(stage) {
      stage.idp.faults.userinfo = (_profile, call) => ({ body: `{"MARKED": ${call.headers.authorization}` })
      await signInAtProvider(stage)
    },
  },
  'a profile callback that throws': provider((acme) => {
    acme.profile = thrower()
  }),
  'a profile callback that gives no id': provider((acme) => {
    acme.profile = (profile: object) => ({ ...profile, id: undefined, MARKED: 'MARKED' })
  }),
  'an account callback that throws': {
    ...provider((acme) => {
      acme.account = thrower()
    }),
    isQuiet: true,
  },
  'a token request of the application that throws': provider((acme) => {
    acme.token = {
      request: thrower(),
    }
  }),
  'a provider that cannot be reached': provider((acme) => {
    acme.issuer = 'http://127.0.0.1:9'
  }),
  'a discovery document of another issuer': faulty((idp) => {
    idp.faults.metadata = (document) => ({ ...document, issuer: 'https://evil.example', MARKED: 'MARKED' })
  }),
}

describe('no log line and no answer holds a secret (CVE-2022-31186), whatever goes wrong', () => {
  let idp: FakeProvider
  let app: Running
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())
  afterEach(async () => {
    idp.reset()
    await app.close()
  })

  async function start(story: Story, more: Partial<AuthConfig>) {
    const acme = {
      id: 'acme',
      name: 'Acme',
      type: 'oidc',
      issuer: idp.issuer,
      clientId: 'client',
      clientSecret: CLIENT_SECRET,
      checks: ['pkce', 'state', 'nonce'],
    }
    const authorize = ({ username }: Any) => (username === 'ada' ? { id: '1', name: 'Ada' } : null)
    const options: AuthConfig = {
      providers: [acme as Provider, Credentials({ credentials: { username: {}, password: {} }, authorize })],
      secret: [SECRET, OLD_SECRET],
      logging: { requestId: 'x-request-id', network: true, repeatInterval: 0 },
      ...more,
    }
    story.config?.(options, idp)
    idp.faults.token ??= (answer) => ({ body: { ...answer, ...TOKENS } })
    const server = express()
    server.use('/auth', expressAuth(options))
    server.get('/private', requireAuth(options), (_req, res) => void res.json({ private: true }))
    server.use('/inside', requireAuth(options))
    app = await listen(server)
    const stage: Stage = { visitor: app.visitor(), idp, seen: [], markers: new Set(['MARKED']) }
    await story.play(stage)
    return stage
  }

  const SHORT = 12
  function expectClean(text: string, markers: Iterable<string>, where: string) {
    for (const marker of markers) {
      if (marker !== 'MARKED' && marker.length < SHORT) continue
      const at = text.indexOf(marker)
      expect(at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 80), where).to.equal('')
    }
  }

  for (const [name, story] of Object.entries(STORIES)) {
    it(`${name}: a logger that looks into everything finds nothing`, async () => {
      const lines: string[] = []
      const look = (...args: unknown[]) => void lines.push(args.map((arg) => inspect(arg, { depth: 10 })).join(' '))
      const errors: Error[] = []
      const lookInto = (error: Error, ...more: unknown[]) => {
        errors.push(error)
        look(error, { ...error }, error.cause, ...more)
      }
      const logger = { error: lookInto, info: lookInto, warn: look, debug: look }
      const { seen, markers } = await start(story, { logger, debug: true })
      if (!story.isQuiet) expect(errors, 'nothing was reported').not.to.deep.equal([])
      for (const error of errors) expect(error).to.be.instanceOf(AuthError)
      expectClean(lines.join('\n'), markers, 'log')
      for (const { location, text } of seen) {
        expectClean(decodeURIComponent(location?.href ?? ''), markers, 'Location')
        expectClean(text, markers, 'body')
      }
    })
  }

  it('the console logger with debug lines logs no secrets either', async () => {
    const levels = ['error', 'warn', 'debug', 'log', 'info'] as const
    const original = levels.map((level) => [level, console[level]] as const)
    const lines: string[] = []
    const markers = new Set<string>()
    for (const level of levels) console[level] = (...args: unknown[]) => void lines.push(inspect(args, { depth: 10 }))
    try {
      for (const story of Object.values(STORIES)) {
        const stage = await start(story, { debug: true })
        for (const marker of stage.markers) markers.add(marker)
        idp.reset()
        await app.close()
      }
    } finally {
      for (const [level, write] of original) console[level] = write
    }
    expect(lines.length).to.be.greaterThan(Object.keys(STORIES).length)
    expectClean(lines.join('\n'), markers, 'console')
  })
})
