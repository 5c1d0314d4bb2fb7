import { contest, summaryOf } from '../harness/contest.js'
import {
  authjs,
  type Contestant,
  expressOpenIdConnect,
  latchkey,
  type SignIn,
  withCredentials,
} from '../harness/contestants.js'
import { placement } from '../harness/cores.js'
import type { Extent } from '../harness/extent.js'
import { CONNECTIONS, Load } from '../harness/load.js'
import { reserveIssuer, startIdentityProvider, withLoginRoute, withProvider } from '../harness/oidc-sign-in.js'
import { ABOUT_REFERENCE, REFERENCE_BARE } from '../harness/reference.js'
import { BARE_ROUTE, type Server, startServer } from '../harness/server.js'
import { BROWSERS, SignInLoad } from '../harness/sign-in-load.js'
import { spreadOf } from '../harness/spread.js'
import { admit } from '../harness/start-contestant.js'
import type { Effort, Measure } from '../section.js'
import type { Client } from '../servers/identity-provider.js'

interface SigningIn extends Contestant {
  readonly signIn: SignIn
}

/** How many people sign in once to see that it works. */
const PEOPLE_CHECKED = 5

/** What is in a turn: much, since each side leaves cold caches to the other. */
const TIMES = { credentials: 5 * BROWSERS, provider: 2 * BROWSERS, bare: 8 * CONNECTIONS }

const FULL = { rounds: 4, pairs: { credentials: 14, provider: 7 }, warmUp: { credentials: 2.5, provider: 6, bare: 1 } }
const QUICK: typeof FULL = {
  rounds: 1,
  pairs: { credentials: 4, provider: 3 },
  warmUp: { credentials: 0.1, provider: 0.1, bare: 0.05 },
}

/** Where the provider sends people back to. */
const CALLBACKS: Readonly<Record<string, string>> = {
  latchkey: '/auth/callback/local',
  authjs: '/auth/callback/local',
  'express-openid-connect': '/callback',
}

/** What whole sign-ins cost the application. */
export const measure: Measure = async (effort) => {
  const scale = effort.quick ? QUICK : FULL
  const issuer = await reserveIssuer()
  const contestants: readonly SigningIn[] = [
    { ...latchkey('Latchkey, credentials'), signIn: withCredentials },
    { ...authjs('@auth/express, credentials'), signIn: withCredentials },
    { ...latchkey('Latchkey, OpenID Connect', { issuer }), signIn: withProvider },
    { ...authjs('@auth/express, OpenID Connect', { issuer }), signIn: withProvider },
    { ...expressOpenIdConnect, options: { issuer }, signIn: withLoginRoute },
  ]
  const results = await run(contestants, issuer, scale, effort.progress)
  const [credentials, , oidc] = results
  return {
    id: 'sign-in',
    title: 'A whole sign-in',
    how: [
      'All requests of a sign-in by a browser without cookies of the application, as it ends with a session.',
      'Credentials: the CSRF token and the form; `authorize` costs nothing.',
      'OpenID Connect: the CSRF token and the form, or the link, and the callback, with an `oidc-provider` in a process of its own whose CPU does not count; discovery and keys are known.',
      `Turns of ${TIMES.credentials} sign-ins with credentials, or ${TIMES.provider} with the provider, by ${BROWSERS} browsers, alternate with turns of ${TIMES.bare} requests for a bare JSON route in the same process: medians and quartiles of ${scale.rounds * scale.pairs.credentials} pairs with credentials, ${scale.rounds * scale.pairs.provider} with the provider.`,
      ABOUT_REFERENCE,
      placement(),
    ].join(' '),
    columns: [
      'CPU of the application, µs',
      'bare route beside it, µs',
      `CPU of the application, where the bare route costs ${REFERENCE_BARE} µs`,
      'requests of the application to the provider',
    ],
    rows: results.map(({ contestant, summary: { cost, bare, normalised }, backChannel }) => ({
      name: contestant.name,
      cells: [cost, bare, normalised, isAtProvider(contestant) ? backChannel : null],
    })),
    goals: [
      goal('CPU per credentials sign-in, all its requests', 'µs', 420, credentials?.summary.normalised.median),
      goal('CPU per OIDC sign-in, all its requests', 'µs', 2500, oidc?.summary.normalised.median),
      goal('Back-channel requests per OIDC sign-in', '', 1, oidc?.backChannel.median),
    ],
  }
}

const goal = (name: string, unit: string, limit: number, reached = Number.NaN) => {
  return { name, unit, limit, is: 'at most', reached } as const
}

async function run(
  contestants: readonly SigningIn[],
  issuer: string,
  { rounds, pairs, warmUp }: typeof FULL,
  progress: Effort['progress'],
) {
  const running: { contestant: SigningIn; server: Server; load: Load; signIns: SignInLoad }[] = []
  let provider: Server | undefined
  try {
    for (const contestant of contestants) {
      progress(`starting ${contestant.name}`)
      const server = await startServer(contestant.file, { options: contestant.options ?? {} })
      const { origin } = server
      const signIns = new SignInLoad(origin, contestant.signIn, isAtProvider(contestant) ? issuer : null)
      running.push({ contestant, server, load: new Load(origin), signIns })
    }
    const clients = running.filter(({ contestant }) => isAtProvider(contestant)).map(clientOf)
    provider = await startIdentityProvider({ issuer, clients })
    for (const { contestant, server } of running) await admit(contestant, server, PEOPLE_CHECKED)
    const entrants = running.map(({ contestant, server, load, signIns }) => ({
      name: contestant.name,
      server,
      measured: {
        run: (extent: Extent) => signIns.run(extent),
        times: isAtProvider(contestant) ? TIMES.provider : TIMES.credentials,
        warmUp: isAtProvider(contestant) ? warmUp.provider : warmUp.credentials,
      },
      bare: { run: load.on({ path: BARE_ROUTE }), times: TIMES.bare, warmUp: warmUp.bare },
      pairs: isAtProvider(contestant) ? pairs.provider : pairs.credentials,
    }))
    const results = await contest(entrants, rounds, progress)
    return running.map(({ contestant, signIns }, index) => ({
      contestant,
      summary: summaryOf(results[index] ?? []),
      backChannel: spreadOf(signIns.backChannel),
    }))
  } finally {
    for (const { load, signIns } of running) {
      load.close()
      signIns.close()
    }
    await Promise.all([provider, ...running.map(({ server }) => server)].map((server) => server?.stop()))
  }
}

const isAtProvider = ({ signIn }: SigningIn) => signIn !== withCredentials

const clientOf = ({ contestant: { file }, server }: { contestant: SigningIn; server: Server }): Client => ({
  id: file,
  secret: `the secret of ${file}`,
  redirectUri: `${server.origin}${CALLBACKS[file]}`,
})
