import type { ProviderWithFlow } from '../config/config.js'
import type { FlowRequest } from '../flows/flow.js'
import type { BodyFields } from '../http/body.js'
import { fieldsOfOtherWays } from '../pages/shared-form.js'
import type { Outcome } from './outcome.js'
import type { MountRequest } from './read-request.js'
import { findReturnTarget } from './return-target.js'

/**
 * The request as an action gets it. Flows and sessions need the same members, so actions pass the context on unchanged.
 * An action does not change its context. What it does is in its {@link Outcome}.
 */
export interface ActionContext extends MountRequest, FlowRequest {
  readonly query: URLSearchParams
  /** The body; no fields with GET. */
  readonly fields: BodyFields
  /** The provider whose id is in the path. */
  readonly provider: ProviderWithFlow | null
  /**
   * The address where the visitor goes after the sign-in. The first call runs the `redirect` callback of the application,
   * so the callback never runs for a target that is not used.
   *
   * @returns an http(s) URL; the public origin where the request names no usable target
   */
  returnTarget(): Promise<string>
}

/** One thing that Latchkey does over HTTP. */
export type Action = (context: ActionContext) => Promise<Outcome> | Outcome

/** The context of an action: a request together with its body and the provider that its path names. */
export function actionContext(
  request: MountRequest,
  fields: BodyFields,
  provider: ProviderWithFlow | null,
): ActionContext {
  const own = provider ? withoutOtherWays(fields, request, provider.settings.id) : fields
  let returnTarget: Promise<string> | undefined
  return {
    ...request,
    fields: own,
    provider,
    returnTarget() {
      returnTarget ??= findReturnTarget(request, own)
      return returnTarget
    },
    readPrincipal: async () => request.config.ownSignIns.mark(request, await request.sessions.readPrincipal(request)),
  }
}

/**
 * The fields of a body without those of other ways to sign in. One form serves several ways, so a password that somebody has
 * typed comes along when they choose another way.
 */
function withoutOtherWays(fields: BodyFields, { config }: MountRequest, id: string): BodyFields {
  const others = fieldsOfOtherWays(
    Array.from(config.providers.values(), ({ settings }) => settings),
    id,
  )
  if (others.size === 0) return fields
  const kept = Object.entries(fields).filter(([name]) => !others.has(name))
  return Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(kept))
}
