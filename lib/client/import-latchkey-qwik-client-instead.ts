/**
 * What browsers get for `latchkey/qwik`: the conditions `browser` and `min` of package.json lead here. Qwik sets `min`, and
 * not `browser`, when it builds an application for browsers. Bundlers name this file when they say that it has no such
 * export.
 */
throw new Error('Components import useSession, useSignIn and useSignOut from latchkey/qwik/client.')

export {}
