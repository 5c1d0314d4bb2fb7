/// <reference path="./qwik-modules.d.ts" />
import { inlinedQrl } from '@builder.io/qwik'
import { z, zodQrl } from '@builder.io/qwik-city'
import type { HookWork } from './client.js'

/** The checks of Qwik City itself, so that an application gets its texts in its form. */
export const inputChecks = (): HookWork['checks'] => ({
  signIn: check('signInInput', {
    providerId: z.string().nullish(),
    redirectTo: z.string().optional(),
    options: z.object({ redirectTo: z.string().optional() }).passthrough().optional(),
    authorizationParams: z.union([z.string(), z.instanceof(URLSearchParams), z.record(z.string())]).optional(),
  }),
  signOut: check('signOutInput', { redirectTo: z.string().optional(), endSession: z.string().optional() }),
})

const check = (name: string, shape: object) => zodQrl(inlinedQrl(shape, `latchkey_${name}`))
