#!/usr/bin/env node
// Not through config/env.ts: that file reads the variables of a configuration, and DATABASE_URL is not one of them.
import { argv, env, exit } from 'node:process'
import { run } from './run.js'

run(argv.slice(2), {
  variables: env,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
}).then((code) => {
  process.exitCode = code
  // A dead connection may never close, and would keep the process alive.
  setTimeout(() => exit(code), 1000).unref()
})
