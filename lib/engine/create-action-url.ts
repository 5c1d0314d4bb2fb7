import { type EnvVariables, readEnv } from '../config/env.js'
import type { AuthConfig } from '../config/options.js'
import { completeLogger } from '../logger.js'
import type { AuthAction } from './routes.js'

/**
 * The URL of an action, for framework integrations: from `AUTH_URL` if set, else from `X-Forwarded-Host`/`Host` and
 * `X-Forwarded-Proto`/`protocol`, which the integration must know to be trustworthy.
 *
 * @param protocol `http`, `https`, with or without a colon
 * @param envObject usually `process.env`
 */
export function createActionURL(
  action: AuthAction,
  protocol: string,
  headers: Headers,
  envObject: EnvVariables,
  config: Pick<AuthConfig, 'basePath' | 'logger'>,
): URL {
  const { url: configured } = readEnv(envObject)
  const base = configured === undefined ? fromHeaders(protocol, headers) : new URL(configured)
  const path = base.pathname.replace(/\/+$/, '')
  if (path !== '' && config.basePath && config.basePath !== path) {
    completeLogger(config.logger, false).warn('env-url-basepath-mismatch')
  }
  return new URL(`${(config.basePath ?? path).replace(/\/+$/, '')}/${action}`, base.origin)
}

function fromHeaders(protocol: string, headers: Headers): URL {
  const host = first(headers.get('x-forwarded-host')) ?? headers.get('host') ?? 'localhost'
  const scheme = first(headers.get('x-forwarded-proto')) ?? protocol
  return new URL(`${scheme.replace(/:$/, '')}://${host}`)
}

/** Each proxy appends to the list; the first entry is what the visitor asked for. */
const first = (list: string | null) => list?.split(',', 1)[0]?.trim()
