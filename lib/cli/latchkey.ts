#!/usr/bin/env node
// Not through config/env.ts: that one knows the variables of an app's configuration, and DATABASE_URL is none of them.
import { argv, env, exit } from 'node:process'
import { run } from './run.js'

run(argv.slice(2), {
  variables: env,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
}).then((code) => {
  process.exitCode = code
  // A connection that is dead may never close, and would keep the process.
  setTimeout(() => exit(code), 1000).unref()
})
