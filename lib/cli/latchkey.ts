#!/usr/bin/env node
// Not through config/env.ts: that one knows the variables of an app's configuration, and DATABASE_URL is none of them.
import { argv, env } from 'node:process'
import { run } from './run.js'

run(argv.slice(2), {
  variables: env,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
}).then((code) => {
  process.exitCode = code
})
