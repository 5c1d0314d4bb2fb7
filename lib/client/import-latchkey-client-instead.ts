/**
 * What browsers get for every entry that is for servers: the condition `browser` of package.json leads
 * here. Bundlers name this file when they say that it has no such export.
 */
throw new Error(
  'Only latchkey/client and latchkey/react are for browsers. Import the other entries of latchkey in code that a server runs.',
)

export {}
