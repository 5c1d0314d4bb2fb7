import { createBackChannel, isLoopback } from '../../kernel/back-channel.js'
import { parseUrl } from '../../kernel/urls.js'
import { contradictedOptions } from '../../oauth/contradicted-options.js'
import { createMetadataSource, type ProviderMetadata } from '../../oauth/metadata.js'
import { PROVIDER_CLOCK_TOLERANCE_SECONDS } from '../../oauth/times.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { plainMessage } from '../command-line.js'
import { type Finding, good, problem, warning } from './report.js'

const TIMEOUT_MS = 5000

/** A difference that is no problem yet, and will be one if it grows. */
const NOTED_SECONDS = PROVIDER_CLOCK_TOLERANCE_SECONDS / 2

/**
 * Fetches the metadata of a provider as a sign-in does, with all its checks, and compares the clocks.
 *
 * @returns nothing for a provider whose endpoints are all configured: it has no metadata to ask for
 */
export async function examineIssuer(
  provider: ResolvedOAuthProvider,
  now: () => number,
  revokesAtSignOut: boolean,
): Promise<Finding[]> {
  if (provider.discoveryUrl === null) return []
  const { allowInsecureHttp, id } = provider
  let difference: number | null = null
  const call = provider.fetch ?? fetch
  const comparingClocks: typeof fetch = async (input, init) => {
    const before = now()
    const answer = await call(input as string, init as RequestInit)
    const theirs = Date.parse(answer.headers.get('date') ?? '')
    // The header has whole seconds, and the answer was on its way for some time.
    if (!Number.isNaN(theirs)) difference = Math.round((theirs - (before + now()) / 2) / 1000)
    return answer
  }
  const channel = createBackChannel({ fetch: comparingClocks, allowInsecureHttp, provider: id, timeoutMs: TIMEOUT_MS })
  const reportOutage = () => {}
  const metadataOf = createMetadataSource(() => channel, now, reportOutage)
  try {
    const metadata = await metadataOf(provider)
    return [
      good(`issuer ${metadata.issuer ?? provider.discoveryUrl.origin} answers`),
      ...nameFindings(provider, provider.discoveryUrl, metadata),
      ...contradictedOptions(provider, metadata, revokesAtSignOut).map(({ option, reason }) =>
        warning(`${option}: ${reason}`),
      ),
      ...clockFindings(difference),
    ]
  } catch (error) {
    return [
      problem(plainMessage(error), cureFor(plainMessage(error), provider.discoveryUrl)),
      ...clockFindings(difference),
    ]
  }
}

/** Browsers, and this application, are sent to addresses of the metadata, and each may not know the name that the other uses. */
function nameFindings(provider: ResolvedOAuthProvider, asked: URL, { issuer, server }: ProviderMetadata): Finding[] {
  const hostOf = (url: string | null | undefined) => (url ? parseUrl(url)?.host : undefined)
  const { host } = asked
  if (hostOf(issuer) === host) return []
  const isSignOutAtMetadata =
    provider.endSession !== null && (provider.tokenFacts.endSession?.url ?? 'metadata') === 'metadata'
  const browsers = [
    ['in', 'authorization', server.authorization_endpoint],
    ['out', 'tokenFacts.endSession.url', isSignOutAtMetadata ? server.end_session_endpoint : undefined],
  ] as const
  const calls = [
    ['token', server.token_endpoint],
    ['userinfo', server.userinfo_endpoint],
    ['jwks_endpoint', server.jwks_uri],
  ] as const
  const others = calls.filter(([, url]) => ![undefined, host].includes(hostOf(url)))
  const names = others.map(([name]) => name).join(', ')
  return [
    ...browsers
      .filter(([, , url]) => hostOf(url) === host)
      .map(([way, option]) =>
        warning(
          `browsers are sent to ${host} to sign ${way}, and the issuer is on another host`,
          `If they cannot, set ${option} to its address on ${hostOf(issuer)}: ${TWO_NAMES}.`,
        ),
      ),
    ...others
      .slice(0, 1)
      .map(([, url]) =>
        warning(
          `this application calls ${hostOf(url)}, and reads the metadata from ${host}`,
          `If it cannot, set ${names} to addresses on ${host}: ${TWO_NAMES}.`,
        ),
      ),
  ]
}

const TWO_NAMES = 'see "A provider with two names" in the guides'

function clockFindings(seconds: number | null): Finding[] {
  if (seconds === null || Math.abs(seconds) <= NOTED_SECONDS) return []
  const text = `this clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} the clock of the provider`
  const cure = 'Let the machine set its clock by NTP.'
  if (Math.abs(seconds) <= PROVIDER_CLOCK_TOLERANCE_SECONDS) return [warning(text, cure)]
  return [problem(`${text}, so its tokens may be refused`, cure)]
}

function cureFor(message: string, asked: URL): string {
  const isRefused = /ECONNREFUSED/.test(message)
  if (isRefused && isLoopback(asked))
    return `Nothing listens there: is the provider running? In a container, ${asked.hostname} is the container itself: ${TWO_NAMES}.`
  if (isRefused) return 'Nothing listens there: is the issuer right, and is the provider running?'
  if (/ENOTFOUND|EAI_AGAIN/.test(message))
    return `There is no such host: is the issuer spelt right? Names of containers are known in their own network only: ${TWO_NAMES}.`
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(message)) {
    return 'This machine does not trust its certificate: set tls: { ca } to that of your authority, or NODE_EXTRA_CA_CERTS.'
  }
  if (/WRONG_VERSION_NUMBER/.test(message))
    return 'It does not speak https there: is it http, with allowInsecureHttp: true, or another port?'
  if (/given up/.test(message)) return 'A firewall may be between: this machine must reach the provider.'
  if (/set issuer to it/.test(message)) return `If the provider has two names, ${TWO_NAMES}.`
  return 'Compare the issuer with the documents of the provider, letter by letter.'
}
