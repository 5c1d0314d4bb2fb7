const { availableParallelism } = require('node:os')

// All processes of a run have it: it begins the names of what they make on servers.
process.env.TEST_RUN ??= String(process.pid)

/** How mocha runs the tests: each file in one of several processes. */
module.exports = {
  'node-option': ['import=tsx', 'no-experimental-require-module'],
  reporter: './test/support/reporter.ts',
  require: ['./test/support/cheap-hashes.ts', './test/support/after-run.ts'],
  parallel: true,
  // A third of the time a test waits, for a clock, a server or another program, so one process more keeps the cores busy.
  jobs: availableParallelism() + 1,
  timeout: 60_000,
  slow: 500,
  'forbid-only': true,
  // In CI a skipped test is a failed one.
  'forbid-pending': Boolean(process.env.CI),
  exit: true,
}
