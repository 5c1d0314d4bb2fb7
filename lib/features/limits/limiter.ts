import { BlockList, isIPv6 } from 'node:net'
import { createPublicIds } from '../../kernel/digest.js'
import { CallbackRouteError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { clientAddressOf, networkOf } from '../../kernel/network.js'
import type { Arrived, OnceRead, Parts } from '../../sign-in/feature.js'
import { redirectTarget } from '../../sign-in/find-return-target.js'
import type { LimitKind } from '../../sign-in/flow.js'
import { redirect } from '../../sign-in/outcome.js'
import type { Visit } from '../../sign-in/visit.js'
import { accountsIn, foldAccount } from './account.js'
import { createCounters } from './counters.js'
import { createKnownBrowsers } from './known-browsers.js'
import { type LimitsOptions, type Rate, ratesOf } from './options.js'

/** What a try was counted with, so that its success can be told. */
interface Counted {
  readonly accounts: readonly string[]
  /** The counters of the accounts, or of the browser that they know. */
  readonly own: readonly string[]
  readonly network: string
}

/** Counts tries, and refuses those that are too many. */
export type Limiter = ReturnType<typeof createLimiter>

export function createLimiter(
  options: LimitsOptions,
  { store, secrets, now }: Pick<Parts, 'store' | 'secrets' | 'now'>,
) {
  const rates = ratesOf(options)
  const counters = createCounters(store, now)
  // What nobody can guess costs no call of the store, which would be the larger part of the work.
  const ownCounters = createCounters(null, now)
  const browsers = createKnownBrowsers(secrets)
  const keys = createPublicIds(secrets, 'limit')
  const counted = new WeakMap<Visit, Counted>()

  /** Counts a try of each account. Gives the counters, and milliseconds to wait. */
  const countOwn = async (kind: LimitKind, accounts: readonly string[], browser: string | null, rate: Rate) => {
    const waits: number[] = []
    const own = accounts.map((account) =>
      keys.make(browser === null ? [kind, 'account', account] : [kind, 'browser', account, browser]),
    )
    for (const key of own) waits.push(await counters.count(key, rate, { closes: kind === 'guesses' }))
    return { own, wait: Math.max(0, ...waits) }
  }

  return {
    /**
     * Counts a try before its body is read, and after that, by the accounts that it names.
     *
     * @throws {RequestRefused} 429, with `Retry-After`
     */
    async begin(visit: Visit, kind: LimitKind): Promise<OnceRead> {
      const { account: perAccount, network: perNetwork } = rates[kind]
      const { name, isOfMany } = networkIn(visit)
      const network = keys.make([kind, 'network', name ?? ''])
      const { count } = kind === 'requests' ? ownCounters : counters
      const networkWait = await count(network, isOfMany ? timesMany(perNetwork) : perNetwork)
      if (networkWait > 0 && !options.mayTry && !browsers.isMaybe(visit)) throw tooMany(networkWait)
      return async () => {
        const accounts = perAccount ? await accountsIn(visit, options) : []
        const browser = browsers.idFor(visit, accounts)
        // Tries of a network that is over its limit cost the account nothing, and strangers in it lock no owner out.
        const isCounted = perAccount !== null && (networkWait === 0 || browser !== null)
        const { own, wait } = isCounted
          ? await countOwn(kind, accounts, browser, perAccount)
          : { own: [], wait: networkWait }
        const verdict = await judge(options, visit, {
          kind,
          provider: visit.provider?.id ?? null,
          accounts,
          network: name,
          isKnownBrowser: browser !== null,
          retryAfter: Math.ceil(wait / 1000),
          fields: visit.fields,
        })
        if (verdict === false) throw new RequestRefused(403, 'limits.mayTry refused the request.')
        if (typeof verdict === 'string') return redirect(await redirectTarget(visit, verdict))
        if (wait > 0 && verdict !== true) throw tooMany(wait)
        if (kind === 'guesses') counted.set(visit, { accounts, own, network })
        return null
      }
    },
    /** Somebody has come in: their tries so far were no guesses, and their browser is known from now on. */
    async entered(visit: Visit, { user, account: { type } }: Arrived) {
      if (type !== 'email' && type !== 'credentials') return []
      const address = foldAccount(user.email)
      const tried = counted.get(visit)
      if (tried) {
        counted.delete(visit)
        await counters.giveBack(tried.network, rates.guesses.network)
        for (const key of tried.own) await counters.reset(key)
      }
      // Whoever opens a mailed link has the address, and wanted the mail. So a new password opens an account that strangers have closed.
      if (type === 'email' && address !== '') {
        for (const kind of ['guesses', 'mails']) await counters.reset(keys.make([kind, 'account', address]))
      }
      const accounts = new Set([...(tried?.accounts ?? []), address].filter((each) => each !== ''))
      return browsers.note(visit, [...accounts])
    },
  }
}

async function judge({ mayTry }: LimitsOptions, visit: Visit, attempt: Parameters<NonNullable<typeof mayTry>>[0]) {
  try {
    return await mayTry?.(attempt)
  } catch (error) {
    const provider = visit.provider?.id
    throw new CallbackRouteError('limits.mayTry threw.', { err: withoutDetails(error), ...(provider && { provider }) })
  }
}

const tooMany = (milliseconds: number) =>
  new RequestRefused(429, 'Too many tries.', { 'retry-after': String(Math.ceil(milliseconds / 1000)) })

/** Groups of an IPv6 address that one subscriber has: a /64 (RFC 6177 §2). */
const SUBSCRIBER_GROUPS = 4
/** How many clients one address may stand for if it says nothing about them. */
const MANY = 20

const timesMany = ({ atOnce, perHour }: Rate): Rate => ({ atOnce: atOnce * MANY, perHour: perHour * MANY })

/** Networks that are not of the internet (RFC 1918, RFC 4193, RFC 6598), and the machine itself. */
const INTERNAL = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  INTERNAL.addSubnet(network, prefix)
}
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  INTERNAL.addSubnet(network, prefix, 'ipv6')
}

/**
 * The network of a client. Behind a proxy that `trust proxy` does not name, all clients have the address of the proxy; and some
 * frameworks give none. Then one counter stands for many clients.
 */
function networkIn(visit: Visit): { readonly name: string | null; readonly isOfMany: boolean } {
  const address = clientAddressOf(visit)
  const name = networkOf(address, SUBSCRIBER_GROUPS)
  const bare = String(address).replace(/%.*$/, '')
  return { name, isOfMany: name === null || INTERNAL.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4') }
}
