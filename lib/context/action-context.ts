import type { ConfiguredProvider } from '../config/config.js'
import type { FlowRequest } from '../flows/flow.js'
import type { BodyFields } from '../http/body.js'
import type { Outcome } from './outcome.js'
import type { MountRequest } from './read-request.js'
import { findReturnTarget } from './return-target.js'

/**
 * What an action sees of a request. It is what flows and sessions need of a request, too, so that it is handed on as it
 * is. Nothing in it changes: what an action does is in its {@link Outcome}.
 */
export interface ActionContext extends MountRequest, FlowRequest {
  readonly query: URLSearchParams
  /** The body; no fields with GET. */
  readonly fields: BodyFields
  /** The provider that the path names. */
  readonly provider: ConfiguredProvider | null
  /**
   * Where the visitor goes in the end. The application's `redirect` callback is asked at the first call, and never for
   * a target that nobody uses.
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
  provider: ConfiguredProvider | null,
): ActionContext {
  let returnTarget: Promise<string> | undefined
  return {
    ...request,
    fields,
    provider,
    returnTarget() {
      returnTarget ??= findReturnTarget(request, fields)
      return returnTarget
    },
    readPrincipal: () => request.sessions.readPrincipal(request),
  }
}
