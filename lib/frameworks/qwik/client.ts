/**
 * The hooks for components. This module gets into the files for browsers, so it has no code of the server: what a hook
 * does on the server, it finds among the values of the request.
 */
import { inlinedQrl } from '@builder.io/qwik'
import { type Action, globalActionQrl, type Loader, routeLoaderQrl } from '@builder.io/qwik-city'
import type { CurrentSession } from '../../sessions/session.js'
import { HOOK_WORK, type QwikActionEvent, type QwikEvent } from './event.js'

/** What {@link useSignIn} takes. In a form, `options.email` is the name of a field. */
export interface SignInInput {
  /** Id of the provider; without one the visitor is sent to the sign-in page. */
  providerId?: string | null | undefined
  /** Where the visitor goes: a path or URL of this origin; by default the page of the form. */
  redirectTo?: string | undefined
  /** Fields for the provider, such as `email` or `password`; its `redirectTo` comes first. */
  options?: { redirectTo?: string | undefined; [field: string]: unknown } | undefined
  /** Parameters of the authorization request. */
  authorizationParams?: string | URLSearchParams | Record<string, string> | undefined
}

/** What {@link useSignOut} takes. */
export interface SignOutInput {
  /** Where the visitor goes: a path or URL of this origin; by default the page of the form. */
  redirectTo?: string | undefined
  /** `true` if the visitor also signs out at the provider, if its option `endSession` is set. */
  endSession?: string | undefined
}

/** Fields by name, with what is wrong with them. */
export type FieldErrors<Input> = { [Field in keyof Input]?: string }

/** The value of an action that failed. An action that succeeds redirects, so it has no other value. */
export interface ActionFailure<Input> {
  failed: true
  /** Texts for the visitor about the form as a whole. */
  formErrors: string[]
  /** What is wrong with single fields. */
  fieldErrors: FieldErrors<Input>
  /** The value of `error` that pages are shown with, such as `CredentialsSignin`; absent for a form that is not valid. */
  error?: string
  /** With `CredentialsSignin`, the code that `authorize` gave. */
  code?: string | undefined
}

/** The value of {@link useSignIn} when it failed. */
export type SignInFailure = ActionFailure<SignInInput>
/** The value of {@link useSignOut} when it failed. */
export type SignOutFailure = ActionFailure<SignOutInput>

/** The value of an action, which may be read before anybody knows whether it failed. */
export type ActionResult<Failure> = Failure | { [Member in keyof Failure]?: undefined }

/** What checks the input of an action: data, or what is wrong with them. */
export interface InputCheck {
  validate(event: QwikEvent, data: unknown): Promise<unknown>
}

/** What the hooks do on the server. */
export interface HookWork {
  readSession(event: QwikEvent): Promise<CurrentSession | null>
  signIn(input: SignInInput, event: QwikActionEvent): Promise<SignInFailure>
  signOut(input: SignOutInput, event: QwikActionEvent): Promise<SignOutFailure>
  readonly checks: { readonly signIn: InputCheck; readonly signOut: InputCheck }
  /** Writes data in the form in which the script of Qwik City reads them. */
  serialize(data: unknown): Promise<string>
}

function workOf({ sharedMap }: QwikEvent): HookWork {
  const work = sharedMap.get(HOOK_WORK)
  if (work === undefined) throw new Error('Export onRequest of QwikAuth(config) from src/routes/plugin@auth.ts.')
  return work as HookWork
}

const check = (name: keyof HookWork['checks']): InputCheck => ({
  validate: (event, data) => workOf(event).checks[name].validate(event, data),
})

// The references and the ids are made here and not by the optimizer of Qwik, which only sees code of the application.
// They are the same on the server and in browsers: a form has the id of its action.

/** The session; null when nobody is signed in. */
export const useSession: Loader<CurrentSession | null> = /* @__PURE__ */ routeLoaderQrl(
  /* @__PURE__ */ inlinedQrl((event: QwikEvent) => workOf(event).readSession(event), 'latchkey_useSession'),
  { id: 'latchkey-session' },
)

/** Signs in, or sends to the provider: for `<Form>`, or by `submit`. */
export const useSignIn: Action<ActionResult<SignInFailure>, SignInInput> = /* @__PURE__ */ globalActionQrl(
  /* @__PURE__ */ inlinedQrl(
    (input: SignInInput, event: QwikActionEvent) => workOf(event).signIn(input, event),
    'latchkey_useSignIn',
  ),
  { id: 'latchkey-sign-in', validation: [check('signIn')] },
)

/** Signs out: for `<Form>`, or by `submit`. */
export const useSignOut: Action<ActionResult<SignOutFailure>, SignOutInput> = /* @__PURE__ */ globalActionQrl(
  /* @__PURE__ */ inlinedQrl(
    (input: SignOutInput, event: QwikActionEvent) => workOf(event).signOut(input, event),
    'latchkey_useSignOut',
  ),
  { id: 'latchkey-sign-out', validation: [check('signOut')] },
)
