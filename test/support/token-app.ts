import type { AccountChanges, Adapter } from '../../lib/adapters/adapter.js'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { createEngine, type Engine } from '../../lib/engine/engine.js'
import { perform } from '../../lib/visitor/operations.js'
import { listen, testConfig } from './app.js'
import { callerWith, requestContext } from './request-context.js'
import { openPlace, type StorePlace } from './token-stores.js'

/**
 * One process of an application that calls the API of a provider, over several stores: tells its origin to the process that
 * started it, and ends with it. A request to `/{store}?dies=3` kills it when it has new tokens and is about to store them, for
 * the third time.
 */
const { STORES = '{}', ISSUER = '', LEASE_MS = '' } = process.env
const TYPE = 'oauth'

let deadAt = 0
let killable = 0

const killing = (adapter: Adapter): Adapter => ({
  ...adapter,
  updateAccount(key, changes: AccountChanges, expected) {
    if (changes.access_token) {
      killable += 1
      if (killable === deadAt) process.kill(process.pid, 'SIGKILL')
      return new Promise(() => {})
    }
    return adapter.updateAccount?.(key, changes, expected) ?? false
  },
})

function engineOver(adapter: Adapter, tokenLeaseMs?: number): Engine {
  const endpoints = {
    authorization: `${ISSUER}/authorize`,
    token: `${ISSUER}/token`,
    userinfo: `${ISSUER}/userinfo`,
  }
  const client = { clientId: 'client', clientSecret: 'secret' }
  const options = testConfig({
    adapter,
    hosts: ['app.example'],
    // The machine of the tests may be busy with others.
    storeTimeout: 30,
    providers: [{ id: TYPE, name: 'Acme', type: TYPE, ...client, ...endpoints }],
  })
  const surroundings = { env: readEnv({}), now: Date.now, ...(tokenLeaseMs !== undefined && { tokenLeaseMs }) }
  return createEngine(resolveConfig(options, surroundings))
}

const engines = new Map<string, { readonly usual: Engine; readonly dying: Engine }>()
for (const [name, place] of Object.entries(JSON.parse(STORES) as Record<string, StorePlace>)) {
  const { adapter } = await openPlace(place)
  engines.set(name, { usual: engineOver(adapter), dying: engineOver(killing(adapter), Number(LEASE_MS)) })
}

const { origin } = await listen(async (req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://app.example')
  deadAt = Number(searchParams.get('dies'))
  const engine = engines.get(decodeURIComponent(pathname.slice(1)))?.[searchParams.has('dies') ? 'dying' : 'usual']
  const context = requestContext(req.headers.cookie, 'http://app.example')
  try {
    if (!engine) throw new Error('There is no such store.')
    res.end(JSON.stringify(await perform('getAccessToken', callerWith(engine, context), [TYPE, {}])))
  } catch (error) {
    res.statusCode = 500
    res.end(String(error))
  }
})
process.once('disconnect', () => process.exit())
process.send?.({ origin })
