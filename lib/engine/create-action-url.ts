import { type EnvVariables, readEnv } from '../config/env.js'
import type { AuthConfig } from '../config/options.js'
import { matchesHost } from '../http/host-patterns.js'
import { noOrigin, unknownHost } from '../http/origin.js'
import { completeLogger } from '../logger.js'
import { parseUrl } from '../shapes/urls.js'
import type { AuthAction } from './action-names.js'

/**
 * The URL of an action, for framework integrations: from `AUTH_URL` if set, else from `X-Forwarded-Host`/`Host` and
 * `X-Forwarded-Proto`/`protocol`. The integration must know that these headers can be trusted. If a header has several
 * values, the last one counts, which the nearest proxy added.
 *
 * @param protocol `http`, `https`, with or without a colon; `https` by default, as in Auth.js
 * @param envObject usually `process.env`
 * @throws {RequestRefused} 400 if `config.hosts` does not have the host in the headers, or it is no host
 */
export function createActionURL(
  action: AuthAction,
  protocol: string | undefined,
  headers: Headers,
  envObject: EnvVariables,
  config: Pick<AuthConfig, 'basePath' | 'logger' | 'hosts'>,
): URL {
  const { url: configured } = readEnv(envObject)
  const base = configured === undefined ? fromHeaders(protocol, headers, config.hosts) : new URL(configured)
  const path = base.pathname.replace(/\/+$/, '')
  if (path !== '' && config.basePath && config.basePath !== path) {
    completeLogger(config.logger, false).warn('env-url-basepath-mismatch')
  }
  return new URL(`${(config.basePath ?? path).replace(/\/+$/, '')}/${action}`, base.origin)
}

function fromHeaders(protocol: string | undefined, headers: Headers, hosts: readonly string[] | undefined): URL {
  const host = last(headers.get('x-forwarded-host')) ?? headers.get('host') ?? 'localhost'
  if (hosts && !matchesHost(host, [...hosts])) {
    throw unknownHost()
  }
  const scheme = last(headers.get('x-forwarded-proto')) ?? (protocol || 'https')
  const url = /[/?#\\@]/.test(host) ? null : parseUrl(`${scheme.replace(/:$/, '')}://${host}`)
  if (url === null) throw noOrigin({ url: null, trustHost: true, hosts: null })
  return url
}

/** Each proxy appends to the list. The visitor may have written all entries before the last one. */
const last = (list: string | null) => list?.split(',').at(-1)?.trim()
