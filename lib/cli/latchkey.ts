#!/usr/bin/env node
// The variables are not read by config/env.ts: it reads those of a configuration, and DATABASE_URL is not one of them.
import { createRequire } from 'node:module'
import { argv, env, exit, stdout } from 'node:process'
import { run } from './run.js'

/** `FORCE_COLOR` and `NO_COLOR` say what is wanted; without them, only a terminal shows colours. */
const colours = env['FORCE_COLOR'] !== undefined ? env['FORCE_COLOR'] !== '0' : stdout.isTTY && stdout.hasColors()

const { version }: { version: string } = createRequire(import.meta.url)('latchkey/package.json')

run(argv.slice(2), {
  version,
  variables: env,
  colours,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
}).then((code) => {
  process.exitCode = code
  // A dead connection may never close, and would keep the process alive.
  setTimeout(() => exit(code), 1000).unref()
})
