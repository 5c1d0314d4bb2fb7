import { driverFault } from '../adapters/failures.js'
import { loadOnce } from '../kernel/awaitable.js'
import { withoutDetails } from '../kernel/errors.js'
import { isFirstTime, type Log } from '../kernel/logger.js'
import { commonJsExports } from '../kernel/packages.js'
import { createRecentLookups } from './recent-lookups.js'

/** What a `User-Agent` header says, in words for a person. */
interface UserAgentWords {
  /** Name and version of the browser, such as `Firefox 141`; null if it is not known. */
  readonly browser: string | null
  /** The system that it runs on, such as `Windows` or `iOS 18`; null if it is not known. */
  readonly system: string | null
}

const UNKNOWN: UserAgentWords = { browser: null, system: null }

/** Longer headers are no browsers. */
export const MAX_USER_AGENT = 512

/**
 * Names the browser and the system of a `User-Agent` header (RFC 9110 §10.1.5). The client may send any text there, so the
 * words are names that the library `bowser` has in its own lists, and numbers. No part of the header itself is among them.
 *
 * @param userAgent null if it is not known
 * @param logger gets one warning if the words cannot be found out, because `bowser` is not installed
 */
export async function describeUserAgent(userAgent: string | null, logger?: Pick<Log, 'warn'>): Promise<UserAgentWords> {
  // The library takes four times as long for a header of many spaces.
  const text = userAgent?.slice(0, MAX_USER_AGENT).replace(/\s+/g, ' ').trim()
  if (!text) return UNKNOWN
  const loaded = await loadBowser()
  if (!('fault' in loaded)) return known.get(text, loaded)
  if (logger && isFirstTime(logger, 'user-agents-unnamed')) {
    logger.warn('user-agents-unnamed', { fix: loaded.fault.message })
  }
  return UNKNOWN
}

/** A header takes the library a tenth of a millisecond and more, and a list may have a thousand. Each needs about a kilobyte. */
const known = createRecentLookups(wordsOf, { seconds: Number.POSITIVE_INFINITY, now: () => 0, capacity: 2000 })

type Bowser = typeof import('bowser')

/** `bowser`, or why it cannot be used: the list of sessions does without it, so this never rejects. */
const loadBowser = loadOnce(async (): Promise<Pick<Bowser, 'parse' | 'BROWSER_MAP' | 'OS_MAP'> | { fault: Error }> => {
  // Bundlers take an import within `try` for one that may fail.
  try {
    return commonJsExports(await import('bowser'), 'parse')
  } catch (error) {
    return { fault: withoutDetails(driverFault('bowser', error)) }
  }
})

function wordsOf(
  text: string,
  { parse, BROWSER_MAP, OS_MAP }: Pick<Bowser, 'parse' | 'BROWSER_MAP' | 'OS_MAP'>,
): UserAgentWords {
  try {
    const { browser, os } = parse(text)
    const browserName = listed(browser.name, BROWSER_MAP)
    const systemName = listed(os.name, OS_MAP)
    return {
      browser: browserName && withVersion(browserName, major(browser.version)),
      system: systemName && withVersion(systemName, systemVersion(systemName, os.version, text)),
    }
  } catch {
    return UNKNOWN
  }
}

/** A name of the library. It takes other names from the header itself, and a stranger may have written that. */
const listed = (name: string | undefined, names: Readonly<Record<string, string>>): string | null =>
  name !== undefined && name !== 'Generic' && Object.values(names).includes(name) ? name : null

const withVersion = (name: string, version: string | null): string => (version === null ? name : `${name} ${version}`)

const major = (version: string | undefined): string | null => /^\d{1,4}(?=\.|$)/.exec(version ?? '')?.[0] ?? null

/**
 * The version of a system, where browsers tell the true one. Windows and macOS stay at 10 and at 10.15 in every header, as
 * Android does in those of Chrome. An iPhone stays at 18 since iOS 26; there the version of Safari is that of the system.
 */
function systemVersion(system: string, version: string | undefined, text: string): string | null {
  if (system === 'Android') return /Android 10; K\)/.test(text) ? null : major(version)
  if (system !== 'iOS') return null
  const ofSafari = /\bVersion\/(\d{2})(?=\.)/.exec(text)?.[1]
  return ofSafari !== undefined && Number(ofSafari) >= 26 ? ofSafari : major(version)
}
