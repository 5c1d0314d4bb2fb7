/**
 * What edge runtimes get for every entry of the package but `latchkey/client`: the condition `edge-light` of package.json
 * leads here. Bundlers name this file when they say that it has no such export.
 */
throw new Error('latchkey needs the Node.js runtime. Do not import it in code that runs on an edge runtime.')

export {}
