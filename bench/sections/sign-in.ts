import { type Application, Browser, startApplication } from '../applications.js'
import { AT_REFERENCE, COST_COLUMNS, compare, compareInTurn, ROUNDS, TURNS, type Workload } from '../compare.js'
import { CONNECTIONS, openConnections, repeat } from '../load.js'
import { BACK_CHANNEL_COUNT } from '../people.js'
import { goal, type Measure } from '../results.js'
import { BARE_ROUTE, nodeOn, withServers } from '../server.js'

const BY_LINK = 'Latchkey, OpenID Connect, by a link'
const PEER = 'express-openid-connect'
const BY_HAND = 'openid-client by hand'
const CREDENTIALS = 'Latchkey, credentials'
const CREDENTIALS_BY_HAND = 'credentials by hand'

const APPLICATIONS: readonly Application[] = [
  { name: CREDENTIALS, file: 'latchkey' },
  { name: '@auth/express, credentials', file: 'authjs' },
  { name: CREDENTIALS_BY_HAND, file: 'by-hand' },
  { name: 'Latchkey, OpenID Connect', file: 'latchkey', atProvider: true },
  { name: BY_LINK, file: 'latchkey', atProvider: true, byLink: true },
  { name: '@auth/express, OpenID Connect', file: 'authjs', atProvider: true },
  { name: PEER, file: 'express-openid-connect', atProvider: true },
  { name: BY_HAND, file: 'by-hand', atProvider: true, byLink: true },
]

/** Browsers that sign in at the same time. */
const BROWSERS = 8
const SAMPLES = { credentials: 28, provider: 14 }
const WARM_UP = { credentials: 4000, provider: 1000 }
const BATCH = { credentials: 5 * BROWSERS, provider: 2 * BROWSERS, bare: 8 * CONNECTIONS }

/** What a whole sign-in costs the application. */
export const measure: Measure = async (quick) => {
  const backChannel = new Map<string, number>()
  const { summaries, inTurn } = await withServers(async (start) => {
    const provider = await start('identity-provider', {}, nodeOn('load'))
    const countRequests = async () => Number(await (await fetch(`${provider.origin}${BACK_CHANNEL_COUNT}`)).text())
    const workloads: Workload[] = []
    for (const application of APPLICATIONS) {
      const { name, atProvider } = application
      const { server, signIn } = await startApplication(start, provider, application, BROWSERS)
      const browsers = Array.from({ length: BROWSERS }, () => new Browser())
      const signIns = browsers.map((browser, person) => () => {
        browser.cookiesOf(server.origin).clear()
        return signIn(browser, person)
      })
      const before = await countRequests()
      await repeat(signIns, BROWSERS)
      if (atProvider) backChannel.set(name, ((await countRequests()) - before) / BROWSERS)
      const kind = atProvider ? 'provider' : 'credentials'
      workloads.push({
        name,
        server,
        load: (times) => repeat(signIns, times),
        bare: openConnections(server.origin)(BARE_ROUTE),
        batch: { load: BATCH[kind], bare: BATCH.bare },
        warmUp: WARM_UP[kind],
        samples: SAMPLES[kind],
      })
    }
    const summaries = await compare(workloads, quick)
    const named = (name: string) => workloads.find((workload) => workload.name === name) as Workload
    const byForm = await compareInTurn([named(CREDENTIALS), named(CREDENTIALS_BY_HAND)], quick)
    const byLink = await compareInTurn([named(BY_LINK), named(PEER), named(BY_HAND)], quick)
    return { summaries, inTurn: new Map([...byForm, ...byLink]) }
  })
  const atReference = (name: string) => summaries.get(name)?.atReference.median
  return {
    id: 'sign-in',
    title: 'A whole sign-in',
    how: [
      'All requests of a sign-in, by a browser without cookies of the application, until it has a session.',
      'Credentials: the CSRF token and the form; `authorize` costs nothing.',
      'OpenID Connect: the CSRF token and the form, and the callback: three requests. By a link, as with express-openid-connect: a route that redirects to the provider, which is `startSignIn` in Latchkey, and the callback: two requests. The provider is `oidc-provider` in a process of its own, whose CPU time does not count. Its metadata and keys are known to the application.',
      'By hand: openid-client with state, PKCE and nonce in one sealed cookie, the signature of the ID token verified, and the session in one sealed cookie. It handles no fault. express-openid-connect does not verify that signature.',
      `${BATCH.credentials} sign-ins with credentials, or ${BATCH.provider} at the provider, by ${BROWSERS} browsers, alternate with ${BATCH.bare} requests for the bare route in the same process: ${ROUNDS * SAMPLES.credentials} times with credentials, ${ROUNDS * SAMPLES.provider} times at the provider.`,
      `Credentials by hand: a CSRF token whose digest is in a cookie, and the session in one sealed cookie. In turn: Latchkey by a link, express-openid-connect and the sign-in by hand, or the two with credentials, have one batch each, ${TURNS} times. Only times of the same turn are divided.`,
    ].join(' '),
    columns: [
      ...COST_COLUMNS,
      `CPU, ${AT_REFERENCE}`,
      'requests of the application to the provider',
      'CPU of Latchkey, by a link or with credentials, ÷ this, in turn',
    ],
    rows: Array.from(summaries, ([name, { cost, bare, atReference }]) => {
      return {
        name,
        cells: [cost, bare, atReference, backChannel.get(name)?.toString() ?? null, inTurn.get(name) ?? null],
      }
    }),
    goals: [
      goal('CPU per credentials sign-in, all its requests', 'at most', 420, 'µs', atReference(CREDENTIALS)),
      goal(
        'CPU per credentials sign-in, over the same by hand',
        'at most',
        1.5,
        '×',
        inTurn.get(CREDENTIALS_BY_HAND)?.median,
      ),
      goal('CPU per OIDC sign-in, all its requests', 'at most', 2500, 'µs', atReference('Latchkey, OpenID Connect')),
      goal('CPU per OIDC sign-in by a link, over express-openid-connect', 'at most', 1, '×', inTurn.get(PEER)?.median),
      goal(
        'CPU per OIDC sign-in by a link, over openid-client by hand',
        'at most',
        1.3,
        '×',
        inTurn.get(BY_HAND)?.median,
      ),
      goal('Back-channel requests per OIDC sign-in', 'at most', 1, '', backChannel.get('Latchkey, OpenID Connect')),
    ],
  }
}
