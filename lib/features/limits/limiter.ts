import { BlockList, isIPv6 } from 'node:net'
import { describeValue } from '../../kernel/describe-value.js'
import { foldedFactor, isRecoveryCode } from '../../kernel/entered-code.js'
import { CallbackRouteError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { clientAddressOf, networkOf, plainAddress } from '../../kernel/network.js'
import type { Arrived, OnceRead, Parts } from '../../sign-in/feature.js'
import { redirectTarget } from '../../sign-in/find-return-target.js'
import type { CountedKind, LimitKind } from '../../sign-in/flow.js'
import { heldIn } from '../../sign-in/held-sign-in.js'
import { redirect } from '../../sign-in/outcome.js'
import type { AccountName, Visit } from '../../sign-in/visit.js'
import { accountName, accountOfAddress, accountsIn } from './account.js'
import { createCounters } from './counters.js'
import { createKnownBrowsers } from './known-browsers.js'
import { type Attempt, type LimitsOptions, type Rate, ratesOf } from './options.js'

/** What a try was counted with, so that its success can be told. */
interface Counted {
  readonly kind: LimitKind
  readonly accounts: readonly AccountName[]
  /** Those that have counted it. */
  readonly counted: readonly AccountCounter[]
  /** Null if it was not counted for its network. */
  readonly network: { readonly key: string; readonly rate: Rate } | null
}

/**
 * Codes after a mailed link are counted apart from all others: whoever knows a password keeps nobody out who reads a mail (RATE-05).
 */
const AFTER_MAIL = 'codes-after-mail'

type TriedKind = CountedKind | typeof AFTER_MAIL

/** A counter of an account, or of all browsers that it knows. */
interface AccountCounter {
  readonly key: string
  /** Whether other accounts count there, too: then the owner of one does not begin it anew. */
  readonly isShared: boolean
}

/** Counts tries, and refuses those that are too many. */
export type Limiter = ReturnType<typeof createLimiter>

export function createLimiter(options: LimitsOptions, { store, ...parts }: Pick<Parts, 'store' | 'secrets' | 'now'>) {
  const rates = ratesOf(options)
  const counters = createCounters(store, parts)
  // What nobody can guess costs no call of the store, which would be the larger part of the work.
  const ownCounters = createCounters(null, parts)
  const browsers = createKnownBrowsers(parts.secrets)
  const tries = new WeakMap<Visit, Counted>()

  /**
   * Counts a try by each counter, or by none if one of them refuses it: what is not looked at is no failure of anybody. Gives
   * milliseconds to wait.
   *
   * @param counted is given those that have counted it
   */
  const countBy = async (kind: TriedKind, all: readonly AccountCounter[], rate: Rate, counted: AccountCounter[]) => {
    const before: AccountCounter[] = []
    for (const each of all) {
      const wait = await counters.count(each.key, rate, { closes: isGuess(kind) })
      if (wait > 0) {
        for (const { key } of before) await counters.giveBack(key, rate)
        return wait
      }
      before.push(each)
    }
    counted.push(...before)
    return 0
  }

  /** Counters of the browsers that accounts know. */
  const ofBrowsers = (kind: TriedKind, accounts: readonly AccountName[]): readonly AccountCounter[] =>
    accounts.map(({ space, name }) => ({ key: counters.keyOf([kind, 'browsers', space, name]), isShared: false }))
  /** Counters of accounts, and of all names that a database may take for the same. */
  const ofAccounts = (kind: TriedKind, accounts: readonly AccountName[]): readonly AccountCounter[] =>
    accounts.flatMap(({ space, own, like }) => [
      { key: counters.keyOf([kind, 'account', space, own]), isShared: false },
      ...like.map((text) => ({ key: counters.keyOf([kind, 'like', space, text]), isShared: true })),
    ])

  /** What somebody signs in to with an address that is theirs. */
  const ofAddress = ({ config }: Visit, address: string): readonly AccountName[] => {
    const providers = [...config.providers.values()].filter(
      (each) => each.type === 'credentials' && each.password === null,
    )
    return [accountOfAddress(address), ...providers.map(({ id }) => accountName(id, address))]
  }

  return {
    /**
     * Counts a try before its body is read, and after that, by the accounts that it names.
     *
     * @throws {RequestRefused} 429, with `Retry-After`
     */
    async begin(visit: Visit, countedKind: CountedKind): Promise<OnceRead> {
      const kind: LimitKind = countedKind === 'address-mails' ? 'mails' : countedKind
      const { account: perAccount, network: perNetwork } = rates[kind]
      const { name: networkName, isOfMany } = networkIn(visit)
      const { count, keyOf } = kind === 'requests' ? ownCounters : counters
      const network = keyOf([kind, 'network', networkName ?? ''])
      const networkRate = isOfMany ? timesMany(perNetwork) : perNetwork
      const networkWait = await count(network, networkRate)
      if (networkWait > 0 && !options.mayTry && !browsers.isMaybe(visit)) throw tooMany(networkWait)
      return async () => {
        const accounts = perAccount ? await accountsIn(visit, options, kind) : []
        const isKnown = browsers.has(visit, accounts)
        // Nobody finds a recovery code, so it lets its owner in, whatever others have tried.
        const isGuessed = kind !== 'codes' || !isRecoveryCode(foldedFactor(textOf(visit.fields['code'])))
        const tried = kind === 'codes' && (await heldIn(visit))?.type === 'email' ? AFTER_MAIL : countedKind
        // A known browser is a stranger as well where others that are known have tried too often. And tries of a network that is over its
        // limit cost the account nothing, so that strangers in it lock no owner out.
        const ways = [...(isKnown ? [ofBrowsers] : []), ...(networkWait === 0 ? [ofAccounts] : [])]
        const counted: AccountCounter[] = []
        let wait = isKnown && !isGuessed ? 0 : networkWait
        for (const way of isGuessed ? ways : []) {
          if (perAccount === null) break
          wait = await countBy(tried, way(tried, accounts), perAccount, counted)
          if (wait === 0) break
        }
        const verdict =
          options.mayTry &&
          (await judge(options.mayTry, visit, {
            kind,
            provider: visit.provider?.id ?? null,
            accounts: accounts.map(({ name }) => name),
            network: networkName,
            isKnownBrowser: isKnown,
            retryAfter: Math.ceil(wait / 1000),
            fields: visit.fields,
          }))
        if (verdict === false) throw new RequestRefused(403, 'limits.mayTry refused the request.')
        if (typeof verdict === 'string') return redirect(await redirectTarget(visit, verdict))
        if (wait > 0 && verdict !== true) throw tooMany(wait)
        const counter = networkWait === 0 ? { key: network, rate: networkRate } : null
        if (kind === 'guesses' && accounts.length === 1) visit.triedAs = accounts[0] ?? null
        if (isGuess(kind)) tries.set(visit, { kind, accounts, counted, network: counter })
        return null
      }
    },
    /** Something was right that does not let anybody in by itself: a first factor, or a second one in a session. */
    async proved(visit: Visit) {
      const { counted = [], network = null } = tries.get(visit) ?? {}
      tries.delete(visit)
      if (network !== null) await counters.giveBack(network.key, network.rate)
      for (const { key } of counted) await counters.giveBack(key, rates.guesses.account, isOfPerson(visit))
    },
    /**
     * Somebody has come in: this try was no guess. If it says for sure which account they have, that account begins anew, and knows
     * their browser from now on.
     */
    async entered(visit: Visit, { account: { type, providerAccountId } }: Arrived) {
      const { kind, accounts = [], counted = [], network = null } = tries.get(visit) ?? {}
      tries.delete(visit)
      if (network !== null) await counters.giveBack(network.key, network.rate)
      // What was entered, also before something else was asked for. With several names, one may be of somebody else.
      const tried = visit.triedAs ? [visit.triedAs] : []
      const byCode = kind === 'codes' ? accounts : []
      const byMail = type === 'email' ? [accountOfAddress(providerAccountId)] : []
      // Who has read a mail, or has shown both factors, has made none of the guesses, and whoever has read it wanted it.
      const theirs = [...byMail, ...byCode].flatMap(({ name }) => ofAddress(visit, name))
      const anew = [
        ...(byMail.length > 0 ? MAILED : GUESSES).flatMap((each) => ofAccounts(each, theirs)),
        ...CODES.flatMap((each) => ofAccounts(each, byCode)),
        ...GUESSES.flatMap((each) => [...ofAccounts(each, tried), ...ofBrowsers(each, tried)]),
      ]
      const ending = new Map(anew.map(({ key, isShared }) => [key, isShared]))
      for (const { key } of counted) {
        const isShared = ending.get(key)
        if (isShared === false) continue
        await counters.giveBack(key, rates.guesses.account, isShared || isOfPerson(visit))
        ending.delete(key)
      }
      for (const [key, isShared] of ending) await (isShared ? counters.forgive(key) : counters.reset(key))
      return browsers.note(visit, byMail.length > 0 ? byMail : [...byCode, ...tried])
    },
  }
}

/** What begins anew with a sign-in by a mailed link, and with one of two factors. */
const MAILED = ['guesses', 'mails'] as const
const GUESSES = ['guesses'] as const
const CODES = ['codes', AFTER_MAIL] as const

/** Whether a try is counted for whoever is signed in, or waits to be: by no name that was entered, which may be of somebody else. */
const isOfPerson = ({ provider }: Visit): boolean => provider === null

const isGuess = (kind: TriedKind): boolean => kind === 'guesses' || kind === 'codes' || kind === AFTER_MAIL

async function judge(mayTry: NonNullable<LimitsOptions['mayTry']>, visit: Visit, attempt: Attempt) {
  const provider = visit.provider?.id
  try {
    const verdict: unknown = await mayTry(attempt)
    if (verdict === undefined || verdict === null) return undefined
    if (typeof verdict === 'boolean' || (typeof verdict === 'string' && verdict !== '')) return verdict
    throw new TypeError(`it gave ${describeValue(verdict)}: neither true, false, nor an address`)
  } catch (error) {
    throw new CallbackRouteError('limits.mayTry failed.', { err: withoutDetails(error), ...(provider && { provider }) })
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
  const plain = plainAddress(String(address))
  return { name, isOfMany: name === null || INTERNAL.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4') }
}
